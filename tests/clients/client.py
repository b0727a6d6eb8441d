"""Builds a project by the client that openapi-python-client made from /openapi.json."""

import os

from switchyard_client import AuthenticatedClient
from switchyard_client.api.runs import get_run, get_run_events, post_runs
from switchyard_client.api.workspace import get_workspace_files
from switchyard_client.models import Error, RunRequest

client = AuthenticatedClient(
    base_url=os.environ["SWITCHYARD_URL"], token=os.environ["SWITCHYARD_TOKEN"], timeout=300
)

run = post_runs.sync(client=client, body=RunRequest(user_prompt="Make a list."), wait=50)
while run.ended_at is None:
    run = get_run.sync(run.run_id, client=client, wait=50)
assert run.status == "completed", run
files = get_workspace_files.sync(client=client, workspace_id=run.workspace_id).files
assert "index.html" in files.additional_properties, files
events = get_run_events.sync(run.run_id, client=client)
assert [event.seq for event in events.events], events

refused = post_runs.sync(client=client, body=RunRequest(user_prompt=" "))
assert isinstance(refused, Error) and refused.error.code == "invalid_request", refused
