"""Reads a run's stream by httpx-sse, as most programs do: every event's data is JSON."""

import json
import os
import sys

import httpx
from httpx_sse import connect_sse

headers = {"Authorization": f"Bearer {os.environ['SWITCHYARD_TOKEN']}"}
with httpx.Client(timeout=300, headers=headers) as client:
    with connect_sse(client, "GET", sys.argv[1]) as source:
        for sse in source.iter_sse():
            json.loads(sse.data)
            print(json.dumps({"id": sse.id, "event": sse.event, "retry": sse.retry}), flush=True)
