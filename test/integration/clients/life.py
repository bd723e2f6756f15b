"""A chargeback's life through the generated Python client: connect, post, list, read, upload, accept, report an alert."""

import json
import os
import sys
import time
from uuid import uuid4

sys.path.insert(0, os.environ["CLIENT_FOLDER"])

from recoup_client import AuthenticatedClient
from recoup_client.api.acceptance import accept_chargeback, read_acceptance
from recoup_client.api.chargebacks import list_chargebacks, read_chargeback, read_timeline
from recoup_client.api.files import upload_file
from recoup_client.api.integrations import create_integration, list_integrations
from recoup_client.api.pre_chargeback_alerts import create_alert_outcome, list_alerts, read_alert
from recoup_client.api.sandbox import upload_raw_data
from recoup_client.models import (
    AlertOutcome,
    AlertOutcomeCode,
    AlertOutcomeProviderName,
    Error,
    IntegrationCreation,
    RawData,
    UploadFileBody,
    UploadFileBodyPurpose,
)
from recoup_client.types import File

client = AuthenticatedClient(base_url=os.environ["API_URL"], token=os.environ["TOKEN"])
rows = json.loads(os.environ["ROWS"])


def until(what, read):
    """Waits for a condition, not for a time."""
    for _ in range(600):
        found = read()
        if found:
            return found
        time.sleep(0.1)
    raise SystemExit(f"not within a minute: {what}")


created = create_integration.sync(client=client, body=IntegrationCreation.from_dict(rows["integration"]))
integration_id = created.integration_id
until(
    "the integration is verified",
    lambda: any(
        one.integration_id == integration_id and one.status == "SUCCESSFUL"
        for one in list_integrations.sync(client=client)
    ),
)


def post(data_type):
    body = {**rows[data_type], "integrationId": str(integration_id)}
    return upload_raw_data.sync(client=client, body=RawData.from_dict(body)).id


post("chargebacks")
found = until(
    "the chargeback is listed",
    lambda: list_chargebacks.sync(client=client, chargeback_id=rows["chargebacks"]["rawData"]["chargebackId"]).data,
)
chargeback_id = found[0].id
chargeback = read_chargeback.sync(client=client, id=chargeback_id).data
with open(os.environ["PDF"], "rb") as pdf:
    sent = File(payload=pdf, file_name="receipt.pdf", mime_type="application/pdf")
    file = upload_file.sync(client=client, body=UploadFileBody(file=sent, purpose=UploadFileBodyPurpose.EVIDENCE_FILE))
key = str(uuid4())
accepted = [accept_chargeback.sync(client=client, id=chargeback_id, idempotency_key=key).status for _ in range(2)]
until("it is accepted", lambda: read_acceptance.sync(client=client, id=chargeback_id).status == "succeeded")
events = [event.what for event in read_timeline.sync(client=client, id=chargeback_id).data]

post("early_fraud_warnings")
warning = rows["early_fraud_warnings"]["rawData"]["chargebackId"]
alert = until(
    "the alert is listed",
    lambda: next((one for one in list_alerts.sync(client=client).data if one.provider_alert_id == warning), None),
)
report = AlertOutcome(
    alert_id=alert.alert_id, provider_name=AlertOutcomeProviderName.ETHOCA, outcome=AlertOutcomeCode.STOPPED
)
create_alert_outcome.sync(client=client, body=report)
outcome = read_alert.sync(client=client, alert_id=alert.alert_id).data.outcome

missing = read_chargeback.sync(client=client, id=uuid4())
print(
    json.dumps(
        {
            "amount": chargeback.amount,
            "due": chargeback.due_date.timestamp() * 1000,
            "reference": chargeback.chargeback_id,
            "file": bool(file.id),
            "accepted": accepted,
            "succeeded": "acceptance succeeded" in events,
            "outcome": outcome,
            "missing": missing.code if isinstance(missing, Error) else None,
        }
    )
)
