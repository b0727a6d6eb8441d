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

    def test_adds_a_sample_shows_it_and_lists_it(self):
        status, sample = self.call("POST", "/samples", {"caption": "One sample"})
        self.assertEqual(status, 201)
        self.assertEqual(sample["caption"], "One sample")
        self.assertEqual(self.call("GET", f"/samples/{sample['id']}"), (200, sample))
        self.assertIn(sample, self.call("GET", "/samples")[1])

    def test_changes_a_sample(self):
        _, sample = self.call("POST", "/samples", {"caption": "One sample"})
        changed = self.call("PATCH", f"/samples/{sample['id']}", {"caption": "Another sample"})
        self.assertEqual(changed, (200, {**sample, "caption": "Another sample"}))
        self.assertEqual(self.call("PATCH", "/samples/nothing", {"caption": "One sample"})[0], 404)

    def test_flags_and_removes_a_sample(self):
        _, sample = self.call("POST", "/samples", {"caption": "Another sample"})
        path = f"/samples/{sample['id']}"
        self.assertEqual(self.call("POST", f"{path}/flag")[1]["flagged"], True)
        self.assertEqual(self.call("DELETE", path)[0], 200)
        self.assertEqual(self.call("GET", path)[0], 404)

    def test_says_what_is_wrong_with_a_request(self):
        self.assertEqual(self.call("POST", "/samples", {"caption": ""})[0], 400)
        self.assertEqual(self.call("POST", "/samples", {})[0], 400)
        self.assertEqual(self.call("PUT", "/samples")[0], 405)
        self.assertEqual(self.call("GET", "/nowhere")[0], 404)


if __name__ == "__main__":
    unittest.main()
