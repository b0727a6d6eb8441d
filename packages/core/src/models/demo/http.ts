import { source } from "./source.ts"

/** What every generated Node server ends with: reading and sending JSON. */
export const jsonOverHttp = source`
  async function readJson(request‹: IncomingMessage›)‹: Promise<Record<string, unknown>>› {
    let text = ""
    for await (const chunk of request.setEncoding("utf8")) {
      text += chunk
      if (text.length > maxBodyLength) throw new Error("The body is too long.")
    }
    const body = JSON.parse(text)
    return body !== null && typeof body === "object" ? body : {}
  }

  function sendJson(response‹: ServerResponse›, status‹: number›, body‹: unknown›) {
    response.writeHead(status, { "content-type": "application/json; charset=utf-8" })
    response.end(\`\${JSON.stringify(body, null, 2)}\n\`)
  }
`

/** The same for every generated Python server, as methods of its handler. */
export const pythonJsonMethods = source`
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
`

/** \`server.ts\`: the app on a port. It is a file of its own so that tests can import the app without starting it. */
export const nodeServer = source`
  ‹import type { AddressInfo } from "node:net"
  ›import { createApp } from "./app.ts"

  const server = createApp()

  server.listen(Number(process.env.PORT ?? 3000), "localhost", () => {
    const { port } = server.address()‹ as AddressInfo›
    console.log(\`Listening on http://localhost:\${port}\`)
  })
`

/** The end of every generated \`server.py\`. */
export const pythonMain = source`
  def main():
      server = create_server(int(os.environ.get("PORT", "3000")))
      print(f"Listening on http://localhost:{server.server_port}", flush=True)
      try:
          server.serve_forever()
      except KeyboardInterrupt:
          server.server_close()


  if __name__ == "__main__":
      main()
`

/** How a generated test starts the app, on whichever port is free. */
export const startApp = source`
  const app = createApp().listen(0, "localhost")
  await once(app, "listening")
  after(() => app.close())

  const { port } = app.address()‹ as AddressInfo›
  const url = \`http://localhost:\${port}\`
`

/** How a generated Python test starts the server and talks to it. */
export const pythonServerTest = source`
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
`
