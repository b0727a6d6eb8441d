import { jsonOverHttp, nodeServer, pythonJsonMethods, pythonMain, pythonServerTest, startApp } from "../http.ts"
import { scriptFile } from "../module.ts"
import type { Project, ProjectFile } from "../project.ts"
import { capitalised, quoted, source } from "../source.ts"
import { type Collection, type CollectionFace, storeFiles } from "./collection.ts"

/** What a server's four files say that are not the same everywhere, and how to call it from a shell. */
export interface Routes {
  app(name: string): string
  appTest: string
  python(name: string): string
  pythonTest: string
  calls: string
  feature: string
}

/** A collection over HTTP: five routes that take JSON and answer JSON. */
export const collectionServer: CollectionFace = {
  feature: (collection) => collection.routes?.feature ?? "Five routes that take and answer JSON, with clear errors",
  files: (collection, project) => [...storeFiles(collection, project), ...serverFiles(collection, project)],
  usage: (collection, { language }) => {
    const start = language === "python" ? "python3 server.py" : "npm start"
    const calls = collection.routes?.calls ?? usualCalls(collection)
    return `${"```"}sh\n${start}\n\n${calls.trimEnd()}\n${"```"}\n\nSet \`PORT\` for another port. The ${collection.plural} live in memory, until the server ends.`
  },
}

function serverFiles(collection: Collection, { language, name }: Project): ProjectFile[] {
  const routes = collection.routes ?? usualRoutes(collection)
  if (language === "python") {
    return [
      { path: "server.py", purpose: "Answers HTTP requests.", content: routes.python(name) },
      { path: "test_server.py", purpose: "Tests the server over real HTTP.", content: routes.pythonTest },
    ]
  }
  return [
    scriptFile(language, "app.ts", "Answers HTTP requests.", routes.app(name)),
    scriptFile(language, "app.test.ts", "Tests the app over real HTTP.", routes.appTest),
    scriptFile(language, "server.ts", "Starts the app on a port.", nodeServer),
  ]
}

function usualRoutes(collection: Collection): Routes {
  return {
    app: (name) => app(collection, name),
    appTest: appTest(collection),
    python: (name) => pythonServer(collection, name),
    pythonTest: pythonTest(collection),
    calls: usualCalls(collection),
    feature: "",
  }
}

function usualCalls({ plural, field, examples, mark }: Collection): string {
  return source`
    curl http://localhost:3000/${plural} -d '${JSON.stringify({ [field]: examples[0] })}'
    curl http://localhost:3000/${plural}
    curl http://localhost:3000/${plural}/1/${mark.verb} -X POST
    curl http://localhost:3000/${plural}/1 -X DELETE
  `
}

function app({ noun, plural, field, mark }: Collection, name: string): string {
  const Plural = capitalised(plural)
  return source`
    import { createServer‹, type IncomingMessage, type ServerResponse› } from "node:http"
    import { create${Plural} } from "./${plural}.ts"

    const maxBodyLength = 100_000

    /** The ${plural} over HTTP; what is wrong with a request is said in {"error"}. */
    export function createApp(${plural} = create${Plural}()) {
      return createServer(async (request, response) => {
        try {
          const [status, body] = await answer(request)
          sendJson(response, status, body)
        } catch (error) {
          sendJson(response, 400, { error: error instanceof Error ? error.message : "Bad request." })
        }
      })

      async function answer(request‹: IncomingMessage›)‹: Promise<[status: number, body: unknown]>› {
        const { pathname } = new URL(request.url ?? "/", "http://localhost")
        const [, root, id, action] = pathname.split("/")
        if (pathname === "/") return [200, { name: ${quoted(name)}, try: "GET /${plural}" }]
        if (root !== "${plural}") return notFound

        if (id === undefined) {
          if (request.method === "GET") return [200, ${plural}.list()]
          if (request.method === "POST") return [201, ${plural}.add(await read${capitalised(field)}(request))]
          return wrongMethod
        }
        if (action === "${mark.verb}" && request.method === "POST") return found(${plural}.${mark.verb}(id))
        if (action !== undefined) return notFound
        if (request.method === "GET") return found(${plural}.get(id))
        if (request.method === "DELETE") return ${plural}.remove(id) ? [200, { removed: id }] : notFound
        return wrongMethod
      }
    }

    const notFound‹: [number, unknown]› = [404, { error: "Not found." }]
    const wrongMethod‹: [number, unknown]› = [405, { error: "This is not what that path is for." }]

    function found(${noun}‹: unknown›)‹: [number, unknown]› {
      return ${noun} === undefined ? notFound : [200, ${noun}]
    }

    async function read${capitalised(field)}(request‹: IncomingMessage›)‹: Promise<string>› {
      const { ${field} } = await readJson(request)
      if (typeof ${field} !== "string") throw new Error("Send ${field} as text.")
      return ${field}
    }

    ${jsonOverHttp}
  `
}

function appTest({ noun, plural, field, examples, mark }: Collection): string {
  const marked = mark.kind === "flag" ? "true" : "1"
  return source`
    import assert from "node:assert/strict"
    import { once } from "node:events"
    ‹import type { AddressInfo } from "node:net"
    ›import { after, test } from "node:test"
    import { createApp } from "./app.ts"

    ${startApp}

    async function call(method‹: string›, path‹: string›, body‹?: unknown›) {
      const response = await fetch(url + path, { method, body: body === undefined ? undefined : JSON.stringify(body) })
      return { status: response.status, body: ‹(›await response.json()‹) as Record<string, unknown>› }
    }

    test("adds a ${noun}, shows it and lists it", async () => {
      const added = await call("POST", "/${plural}", { ${field}: ${quoted(examples[0])} })
      assert.equal(added.status, 201)
      assert.equal(added.body.${field}, ${quoted(examples[0])})
      assert.deepEqual((await call("GET", \`/${plural}/\${added.body.id}\`)).body, added.body)
      assert.deepEqual((await call("GET", "/${plural}")).body, [added.body])
    })

    test("${mark.verb}s and removes a ${noun}", async () => {
      const { body: ${noun} } = await call("POST", "/${plural}", { ${field}: ${quoted(examples[1])} })
      assert.equal((await call("POST", \`/${plural}/\${${noun}.id}/${mark.verb}\`)).body.${mark.field}, ${marked})
      assert.equal((await call("DELETE", \`/${plural}/\${${noun}.id}\`)).status, 200)
      assert.equal((await call("GET", \`/${plural}/\${${noun}.id}\`)).status, 404)
    })

    test("says what is wrong with a request", async () => {
      assert.equal((await call("POST", "/${plural}", { ${field}: "" })).status, 400)
      assert.equal((await call("POST", "/${plural}", {})).status, 400)
      assert.equal((await call("PUT", "/${plural}")).status, 405)
      assert.equal((await call("GET", "/nowhere")).status, 404)
    })
  `
}

function pythonServer({ noun, plural, field, mark }: Collection, name: string): string {
  const Plural = capitalised(plural)
  return source`
    """The ${plural} over HTTP; what is wrong with a request is said in {"error"}."""

    import json
    import os
    from dataclasses import asdict
    from http.server import BaseHTTPRequestHandler, HTTPServer

    from ${plural} import ${Plural}

    MAX_BODY_BYTES = 100_000
    NOT_FOUND = 404, {"error": "Not found."}
    WRONG_METHOD = 405, {"error": "This is not what that path is for."}


    def create_server(port):
        server = HTTPServer(("localhost", port), Handler)
        server.${plural} = ${Plural}()
        return server


    class Handler(BaseHTTPRequestHandler):
        def respond(self):
            try:
                self.send_json(*self.answer())
            except ValueError as error:
                self.send_json(400, {"error": str(error)})

        do_GET = do_POST = do_PUT = do_DELETE = respond

        def answer(self):
            """The status and the body for a request."""
            ${plural} = self.server.${plural}
            root, *rest = self.path.strip("/").split("/")
            id, action = (rest + [None, None])[:2]
            if root == "":
                return 200, {"name": ${quoted(name)}, "try": "GET /${plural}"}
            if root != "${plural}":
                return NOT_FOUND

            if id is None:
                if self.command == "GET":
                    return 200, [asdict(${noun}) for ${noun} in ${plural}.all()]
                if self.command == "POST":
                    return 201, asdict(${plural}.add(self.read_${field}()))
                return WRONG_METHOD

            if action == "${mark.verb}" and self.command == "POST":
                return found(${plural}.${mark.verb}(id))
            if action is not None:
                return NOT_FOUND
            if self.command == "GET":
                return found(${plural}.get(id))
            if self.command == "DELETE":
                return (200, {"removed": id}) if ${plural}.remove(id) else NOT_FOUND
            return WRONG_METHOD

        def read_${field}(self):
            ${field} = self.read_json().get("${field}")
            if not isinstance(${field}, str):
                raise ValueError("Send ${field} as text.")
            return ${field}

        ${pythonJsonMethods}


    def found(${noun}):
        return (200, asdict(${noun})) if ${noun} else NOT_FOUND


    ${pythonMain}
  `
}

function pythonTest({ noun, plural, field, examples, mark }: Collection): string {
  return source`
    import http.client
    import json
    import threading
    import unittest

    from server import create_server


    class ServerTest(unittest.TestCase):
        ${pythonServerTest}

        def test_adds_a_${noun}_shows_it_and_lists_it(self):
            status, ${noun} = self.call("POST", "/${plural}", {"${field}": ${quoted(examples[0])}})
            self.assertEqual(status, 201)
            self.assertEqual(${noun}["${field}"], ${quoted(examples[0])})
            self.assertEqual(self.call("GET", f"/${plural}/{${noun}['id']}"), (200, ${noun}))
            self.assertIn(${noun}, self.call("GET", "/${plural}")[1])

        def test_${mark.verb}s_and_removes_a_${noun}(self):
            _, ${noun} = self.call("POST", "/${plural}", {"${field}": ${quoted(examples[1])}})
            path = f"/${plural}/{${noun}['id']}"
            self.assertEqual(self.call("POST", f"{path}/${mark.verb}")[1]["${mark.field}"], ${mark.kind === "flag" ? "True" : "1"})
            self.assertEqual(self.call("DELETE", path)[0], 200)
            self.assertEqual(self.call("GET", path)[0], 404)

        def test_says_what_is_wrong_with_a_request(self):
            self.assertEqual(self.call("POST", "/${plural}", {"${field}": ""})[0], 400)
            self.assertEqual(self.call("POST", "/${plural}", {})[0], 400)
            self.assertEqual(self.call("PUT", "/${plural}")[0], 405)
            self.assertEqual(self.call("GET", "/nowhere")[0], 404)


    if __name__ == "__main__":
        unittest.main()
  `
}
