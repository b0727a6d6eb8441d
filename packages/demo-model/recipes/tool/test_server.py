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

    def test_answers_with_the_result(self):
        status, body = self.call("POST", "/perform", {"phrase": "so it is"})
        self.assertEqual(status, 200)
        self.assertEqual(body["result"], "SO IT IS")

    def test_says_what_is_wrong_with_the_phrase(self):
        status, _ = self.call("POST", "/perform", {"phrase": "?!"})
        self.assertEqual(status, 400)

    def test_refuses_a_body_without_phrase(self):
        status, _ = self.call("POST", "/perform", {})
        self.assertEqual(status, 400)

    def test_knows_no_other_path(self):
        status, _ = self.call("GET", "/nowhere")
        self.assertEqual(status, 404)


if __name__ == "__main__":
    unittest.main()
