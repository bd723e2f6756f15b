"""Serves the orders open, sync and close (bench/runner/child.ts): Stripe's disputes into Postgres by dlt."""

import json
import os
import resource
import shutil
import sys
import tempfile
import time

os.environ["RUNTIME__DLTHUB_TELEMETRY"] = "false"
os.environ["RUNTIME__LOG_LEVEL"] = "ERROR"

import dlt
from dlt.sources.rest_api import rest_api_source

opened = {}


def open_pipeline(order):
    folder = tempfile.mkdtemp(prefix="recoup-bench-dlt-")
    opened.update(order=order, folder=folder)


def sync():
    order = opened["order"]
    started, cpu = time.monotonic(), time.process_time()
    pipeline = dlt.pipeline(
        pipeline_name="disputes",
        pipelines_dir=opened["folder"],
        destination=dlt.destinations.postgres(order["databaseUrl"]),
        dataset_name="stripe",
    )
    source = rest_api_source(
        {
            "client": {
                "base_url": order["pspUrl"] + "/v1/",
                "auth": {"type": "bearer", "token": order["key"]},
                "paginator": {
                    "type": "cursor",
                    "cursor_path": "data[-1].id",
                    "cursor_param": "starting_after",
                },
            },
            "resources": [
                {
                    "name": "disputes",
                    "primary_key": "id",
                    "write_disposition": {"disposition": "merge", "strategy": "upsert"},
                    "max_table_nesting": 0,
                    "endpoint": {
                        "path": "disputes",
                        "params": {"limit": 100},
                        "data_selector": "data",
                    },
                }
            ],
        }
    )
    pipeline.run(source)
    counts = pipeline.last_trace.last_normalize_info.row_counts
    return {
        "rows": counts.get("disputes", 0),
        "wallMs": (time.monotonic() - started) * 1000,
        "cpuMs": (time.process_time() - cpu) * 1000,
        "rssMb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def close():
    shutil.rmtree(opened["folder"], ignore_errors=True)


out = sys.stdout
# dlt prints progress on standard output.
sys.stdout = sys.stderr
for line in sys.stdin:
    order = json.loads(line)
    try:
        if order["do"] == "open":
            result = open_pipeline(order)
        else:
            result = sync() if order["do"] == "sync" else close()
        answer = {"result": result}
    except Exception as error:
        answer = {"error": str(error).strip().split("\n")[0]}
    out.write('{"bench":true,' + json.dumps(answer)[1:] + "\n")
    out.flush()
