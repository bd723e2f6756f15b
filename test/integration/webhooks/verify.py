"""Verifies requests with the official library. Input: [{secrets, headers, body}] as JSON. Prints what was verified."""
import json
import sys

from standardwebhooks import Webhook

verified = refused = 0
for request in json.load(sys.stdin):
    body = request["body"].encode()
    for secret in request["secrets"]:
        assert Webhook(secret).verify(body, request["headers"]) == json.loads(body)
        verified += 1
        try:
            Webhook(secret).verify(body + b" ", request["headers"])
        except Exception:
            refused += 1
print(json.dumps({"verified": verified, "refused": refused}))
