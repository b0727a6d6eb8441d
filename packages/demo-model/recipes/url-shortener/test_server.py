import http.client
import json
import threading
import unittest

from server import create_server


class ServerTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = create_server(0)
        threading.Thread(target=cls.server.serve_forever, args=(0.01,), daemon=True).start()

    @classmethod
    def tearDownClass(cls):
        cls.server.shutdown()
        cls.server.server_close()

    def call(self, method, path, body=None):
        """The status and the JSON of one request."""
        connection = http.client.HTTPConnection("localhost", self.server.server_port)
        self.addCleanup(connection.close)
        connection.request(method, path, json.dumps(body) if body is not None else None)
        response = connection.getresponse()
        return response.status, json.loads(response.read() or "null")

    def location(self, path):
        """The address that a short link leads to."""
        connection = http.client.HTTPConnection("localhost", self.server.server_port)
        self.addCleanup(connection.close)
        connection.request("GET", path)
        return connection.getresponse().getheader("Location")

    def test_shortens_a_url_and_redirects_to_it(self):
        status, link = self.call("POST", "/links", {"url": "https://example.com/a/long/path"})
        self.assertEqual(status, 201)
        self.assertTrue(link["short"].endswith(f"/{link['id']}"))
        self.assertEqual(self.location(f"/{link['id']}"), "https://example.com/a/long/path")

    def test_lists_its_links_with_their_visits_and_forgets_them(self):
        _, link = self.call("POST", "/links", {"url": "https://example.com/listed"})
        self.location(f"/{link['id']}")
        visits = {known["id"]: known["visits"] for known in self.call("GET", "/links")[1]}
        self.assertEqual(visits[link["id"]], 1)
        self.assertEqual(self.call("DELETE", f"/{link['id']}")[0], 200)
        self.assertIsNone(self.location(f"/{link['id']}"))

    def test_says_what_is_wrong_with_a_request(self):
        self.assertEqual(self.call("POST", "/links", {"url": "javascript:alert(1)"})[0], 400)
        self.assertEqual(self.call("POST", "/links", {})[0], 400)
        self.assertEqual(self.call("GET", "/nothing")[0], 404)


if __name__ == "__main__":
    unittest.main()
