"""POST /perform with {"phrase": "..."} answers {"result": ...}."""

import json
import os
from http.server import BaseHTTPRequestHandler, HTTPServer

from shouting import shout

MAX_BODY_BYTES = 100_000


def create_server(port):
    return HTTPServer(("localhost", port), Handler)


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/":
            self.send_json(200, {"name": "Sample Project", "try": "POST /perform"})
        else:
            self.send_json(404, {"error": "Not found."})

    def do_POST(self):
        try:
            body = self.read_json()
            if self.path != "/perform":
                self.send_json(404, {"error": "Not found."})
            elif not isinstance(body.get("phrase"), str):
                self.send_json(400, {"error": "Send phrase as text."})
            else:
                self.send_json(200, {"result": shout(body["phrase"])})
        except ValueError as error:
            self.send_json(400, {"error": str(error)})

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


def main():
    server = create_server(int(os.environ.get("PORT", "8080")))
    print(f"Listening on http://localhost:{server.server_port}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()


if __name__ == "__main__":
    main()
