"""Serves the samples over HTTP. A bad request is answered with {"error"}."""

import json
import os
from http.server import BaseHTTPRequestHandler, HTTPServer

from samples import new_samples

MAX_BODY_BYTES = 100_000
NOT_FOUND = 404, {"error": "Not found."}
WRONG_METHOD = 405, {"error": "This is not what that path is for."}


def create_server(port):
    server = HTTPServer(("localhost", port), Handler)
    server.samples = new_samples()
    return server


class Handler(BaseHTTPRequestHandler):
    def respond(self):
        try:
            self.send_json(*self.answer())
        except ValueError as error:
            self.send_json(400, {"error": str(error)})

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = respond

    def answer(self):
        """The status and the body for a request."""
        samples = self.server.samples
        root, *rest = self.path.strip("/").split("/")
        id, action = (rest + [None, None])[:2]
        if root == "":
            return 200, {"name": "Sample Project", "try": "GET /samples"}
        if root != "samples":
            return NOT_FOUND

        if id is None:
            if self.command == "GET":
                return 200, samples.all()
            if self.command == "POST":
                return 201, samples.add(self.read_json())
            return WRONG_METHOD

        if action == "flag" and self.command == "POST":
            return found(samples.flag(id))
        if action is not None:
            return NOT_FOUND
        if self.command == "GET":
            return found(samples.get(id))
        if self.command == "PATCH":
            return found(samples.change(id, self.read_json()))
        if self.command == "DELETE":
            return (200, {"removed": id}) if samples.remove(id) else NOT_FOUND
        return WRONG_METHOD

    def read_json(self):
        length = int(self.headers.get("Content-Length") or 0)
        if length > MAX_BODY_BYTES:
            raise ValueError("The body is too long.")
        body = json.loads(self.rfile.read(length))
        return body if isinstance(body, dict) else {}

    def send_json(self, status, body):
        content = json.dumps(body, indent=2, ensure_ascii=False).encode() + b"\n"
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format, *args):
        """Stays quiet."""


def found(sample):
    return (200, sample) if sample else NOT_FOUND


def main():
    server = create_server(int(os.environ.get("PORT", "8080")))
    print(f"Listening on http://localhost:{server.server_port}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()


if __name__ == "__main__":
    main()
