"""A URL shortener over HTTP.

POST /links      {"url": "https://..."} makes a short link
GET /links       lists them, with their visits
GET /<code>      redirects to the URL
DELETE /<code>   forgets the link
"""

import json
import os
from dataclasses import asdict
from http.server import BaseHTTPRequestHandler, HTTPServer

from links import Links

MAX_BODY_BYTES = 100_000


def create_server(port):
    server = HTTPServer(("localhost", port), Handler)
    server.links = Links()
    return server


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        links = self.server.links
        if self.path == "/":
            self.send_json(200, {"name": "Sample Project", "try": "POST /links"})
        elif self.path == "/links":
            self.send_json(200, [asdict(link) for link in links.all()])
        elif link := links.visit(self.path[1:]):
            self.redirect(link.url)
        else:
            self.not_found()

    def do_POST(self):
        if self.path != "/links":
            return self.not_found()
        try:
            link = self.server.links.add(self.read_url())
        except ValueError as error:
            return self.send_json(400, {"error": str(error)})
        self.send_json(201, {**asdict(link), "short": f"http://{self.headers['Host']}/{link.id}"})

    def do_DELETE(self):
        code = self.path[1:]
        if self.server.links.remove(code):
            self.send_json(200, {"removed": code})
        else:
            self.not_found()

    def redirect(self, url):
        self.send_response(302)
        self.send_header("Location", url)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def not_found(self):
        self.send_json(404, {"error": "There is no such link."})

    def read_url(self):
        url = self.read_json().get("url")
        if not isinstance(url, str):
            raise ValueError("Send url as text.")
        return url

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
