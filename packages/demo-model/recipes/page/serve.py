"""Serves the page of this folder."""

import os
from functools import partial
from http.server import HTTPServer, SimpleHTTPRequestHandler
from pathlib import Path


class Handler(SimpleHTTPRequestHandler):
    def log_message(self, format, *args):
        """Stays quiet."""


def create_server(port):
    folder = str(Path(__file__).resolve().parent)
    return HTTPServer(("localhost", port), partial(Handler, directory=folder))


def main():
    server = create_server(int(os.environ.get("PORT", "8080")))
    print(f"Open http://localhost:{server.server_port}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()


if __name__ == "__main__":
    main()
