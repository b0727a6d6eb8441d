import { jsonOverHttp, nodeServer, pythonJsonMethods, pythonMain, pythonServerTest, startApp } from "../http.ts"
import { scriptFile } from "../module.ts"
import type { Project, ProjectFile } from "../project.ts"
import { blocks, quoted, snake, source } from "../source.ts"
import { exampleCheck, moduleFiles, type Tool, type ToolFace } from "./tool.ts"

/** A tool over HTTP: one route that takes JSON and answers JSON. */
export const toolServer: ToolFace = {
  feature: (tool) => `POST /${tool.route} answers in JSON, with clear errors`,
  files: (tool, project) => [
    ...moduleFiles(tool, project),
    ...(project.language === "python" ? pythonFiles(tool, project) : nodeFiles(tool, project)),
  ],
  usage: (tool, project) => {
    const start = project.language === "python" ? "python3 server.py" : "npm start"
    const body = JSON.stringify({ [tool.input.name]: tool.example.input }).replaceAll("'", "'\\''")
    return `${"```"}sh\n${start}\n\ncurl http://localhost:3000/${tool.route} -d '${body}'\n${"```"}\n\nSet \`PORT\` for another port.`
  },
}

function nodeFiles(tool: Tool, project: Project): ProjectFile[] {
  const file = (path: string, purpose: string, text: string) => scriptFile(project.language, path, purpose, text)
  return [
    file("app.ts", "Answers HTTP requests.", app(tool, project)),
    file("app.test.ts", "Tests the app over real HTTP.", appTest(tool)),
    file("server.ts", "Starts the app on a port.", nodeServer),
  ]
}

function pythonFiles(tool: Tool, project: Project): ProjectFile[] {
  return [
    { path: "server.py", purpose: "Answers HTTP requests.", content: pythonServer(tool, project) },
    { path: "test_server.py", purpose: "Tests the server over real HTTP.", content: pythonTest(tool) },
  ]
}

function app(tool: Tool, { name }: Project): string {
  const { route, input, call } = tool
  return source`
    import { createServer‹, type IncomingMessage, type ServerResponse› } from "node:http"
    import { ${call.script} } from "./${tool.module}.ts"

    const maxBodyLength = 100_000

    /** POST /${route} with {"${input.name}": "..."} answers {"result": ...}; what is wrong with a request is said in {"error"}. */
    export function createApp() {
      return createServer(async (request, response) => {
        try {
          const { pathname } = new URL(request.url ?? "/", "http://localhost")
          if (pathname === "/") return sendJson(response, 200, { name: ${quoted(name)}, try: "POST /${route}" })
          if (pathname !== "/${route}") return sendJson(response, 404, { error: "Not found." })
          if (request.method !== "POST") return sendJson(response, 405, { error: "Use POST." })

          const { ${input.name} } = await readJson(request)
          if (typeof ${input.name} !== "string") return sendJson(response, 400, { error: "Send ${input.name} as text." })
          sendJson(response, 200, { result: ${call.script}(${input.name}) })
        } catch (error) {
          sendJson(response, 400, { error: error instanceof Error ? error.message : "Bad request." })
        }
      })
    }

    ${jsonOverHttp}
  `
}

function appTest(tool: Tool): string {
  const { route, input, example, refuses } = tool
  const head = source`
    import assert from "node:assert/strict"
    import { once } from "node:events"
    ‹import type { AddressInfo } from "node:net"
    ›import { after, test } from "node:test"
    import { createApp } from "./app.ts"

    ${startApp}

    function post(body‹: unknown›) {
      return fetch(\`\${url}/${route}\`, { method: "POST", body: JSON.stringify(body) })
    }

    test("answers with the result", async () => {
      const response = await post({ ${input.name}: ${quoted(example.input)} })
      assert.equal(response.status, 200)

      const { result } = ‹(›await response.json()‹) as { result: ${"length" in example ? "string" : "unknown"} }›
      ${exampleCheck(tool, "result", "script")}
    })
  `
  const refusal = source`
    test("says what is wrong with the ${input.name}", async () => {
      const response = await post({ ${input.name}: ${quoted(refuses ?? "")} })
      assert.equal(response.status, 400)
    })
  `
  const rest = source`
    test("refuses a body without ${input.name}", async () => {
      assert.equal((await post({})).status, 400)
      assert.equal((await fetch(\`\${url}/${route}\`, { method: "POST", body: "{" })).status, 400)
    })

    test("knows no other path", async () => {
      assert.equal((await fetch(\`\${url}/nowhere\`)).status, 404)
    })
  `
  return blocks(head, refuses !== undefined && refusal, rest)
}

function pythonServer(tool: Tool, { name }: Project): string {
  const { route, input, call } = tool
  return source`
    """POST /${route} with {"${input.name}": "..."} answers {"result": ...}."""

    import json
    import os
    from http.server import BaseHTTPRequestHandler, HTTPServer

    from ${snake(tool.module)} import ${call.python}

    MAX_BODY_BYTES = 100_000


    def create_server(port):
        return HTTPServer(("localhost", port), Handler)


    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            if self.path == "/":
                self.send_json(200, {"name": ${quoted(name)}, "try": "POST /${route}"})
            else:
                self.send_json(404, {"error": "Not found."})

        def do_POST(self):
            try:
                body = self.read_json()
                if self.path != "/${route}":
                    self.send_json(404, {"error": "Not found."})
                elif not isinstance(body.get("${input.name}"), str):
                    self.send_json(400, {"error": "Send ${input.name} as text."})
                else:
                    self.send_json(200, {"result": ${call.python}(body["${input.name}"])})
            except ValueError as error:
                self.send_json(400, {"error": str(error)})

        ${pythonJsonMethods}


    ${pythonMain}
  `
}

function pythonTest(tool: Tool): string {
  const { route, input, example, refuses } = tool
  const answers = source`
    def test_answers_with_the_result(self):
        status, body = self.call("POST", "/${route}", {"${input.name}": ${quoted(example.input)}})
        self.assertEqual(status, 200)
        ${exampleCheck(tool, 'body["result"]', "python")}
  `
  const refusal = source`
    def test_says_what_is_wrong_with_the_${input.name}(self):
        status, _ = self.call("POST", "/${route}", {"${input.name}": ${quoted(refuses ?? "")}})
        self.assertEqual(status, 400)
  `
  const rest = source`
    def test_refuses_a_body_without_${input.name}(self):
        status, _ = self.call("POST", "/${route}", {})
        self.assertEqual(status, 400)

    def test_knows_no_other_path(self):
        status, _ = self.call("GET", "/nowhere")
        self.assertEqual(status, 404)
  `
  return source`
    import http.client
    import json
    import threading
    import unittest

    from server import create_server


    class ServerTest(unittest.TestCase):
        ${blocks(pythonServerTest, answers, refuses !== undefined && refusal, rest)}


    if __name__ == "__main__":
        unittest.main()
  `
}
