"""A webhook receiver with nothing but Python's own library: `python3 examples/receiver.py PORT SECRET` checks the signature of every
message (Standard Webhooks), drops what it has seen before, and prints one line for each."""

import base64
import hashlib
import hmac
import json
import sys
import time
from collections import OrderedDict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOLERANCE_SECONDS = 300
MAX_BODY_BYTES = 64 * 1024
MAX_SEEN = 10_000

port = int(sys.argv[1]) if len(sys.argv) > 1 else 9000
key = base64.b64decode((sys.argv[2] if len(sys.argv) > 2 else "").removeprefix("whsec_"))
# A real receiver keeps the ids where it keeps what it did, in one transaction.
seen = OrderedDict()


def is_signed(headers, body):
    """A header may carry several signatures: while a secret is rotated, the old one signs too."""
    message_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    signed = f"{message_id}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(expected.encode(), each.encode()) for each in given)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        length = self.headers.get("content-length", "")
        if not length.isdigit() or int(length) > MAX_BODY_BYTES:
            return self.answer(413)
        body = self.rfile.read(int(length))
        if not is_signed(self.headers, body):
            print("UNSIGNED", flush=True)
            return self.answer(401)
        message_id = self.headers["webhook-id"]
        if message_id not in seen:
            message = json.loads(body)
            print("signed  ", message["type"], message["data"].get("message", ""), flush=True)
            seen[message_id] = True
            if len(seen) > MAX_SEEN:
                seen.popitem(last=False)
        return self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_):
        """What it has to say was printed."""


ThreadingHTTPServer(("127.0.0.1", port), Receiver).serve_forever()
