import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect } from "vitest"
import { switchyard } from "../cli/spawn.ts"
import { MODEL, ZIPPED } from "../faults/project.ts"
import { ADMIN_TOKEN, type Cloud } from "./cloud.ts"
import { OWNER } from "./judge.ts"

/** Creates a token that may run and read. Resolves to its secret. */
export async function createToken({ url }: Pick<Cloud, "url">): Promise<string> {
  const made = await fetch(`${url}/v1/tokens`, {
    method: "POST",
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "the rehearsal", owner: OWNER, scopes: ["run", "read"] }),
  })
  const { secret } = (await made.json()) as { secret: string }
  expect(made.status).toBe(201)
  return secret
}

/**
 * Creates a client with its own token. Requests for a run contain the workspace's name as a model key, so that the
 * model can distinguish the runs. Other requests contain no key.
 */
export async function createClient({ url }: Pick<Cloud, "url">) {
  const secret = await createToken({ url })
  const headers = { authorization: `Bearer ${secret}` }

  /** Requests a run in a workspace, at any endpoint that starts runs. */
  function post(path: string, workspace: string): Promise<Response> {
    return fetch(`${url}${path}`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json", "x-api-key": workspace },
      body: JSON.stringify({ user_prompt: "Make a list.", workspace_id: workspace, model: MODEL }),
    })
  }

  return {
    post,
    /** Runs `switchyard` with the client's token. */
    switchyard: (args: string[]) => switchyard(args, { url, env: { SWITCHYARD_TOKEN: secret } }),
    /** Sends JSON that creates something, and resolves to the answer. */
    async send<T>(path: string, json: object): Promise<T> {
      const init = { method: "POST", headers: { ...headers, "content-type": "application/json" } }
      const answer = await fetch(`${url}${path}`, { ...init, body: JSON.stringify(json) })
      const said = await answer.text()
      expect(answer.status, said).toBe(201)
      return JSON.parse(said)
    },
    get: (path: string) => fetch(`${url}${path}`, { headers }),
    /** Requests a run without waiting for its end. Resolves to its id. */
    async start(workspace: string): Promise<string> {
      const answer = await post("/v1/runs", workspace)
      const { run_id } = (await answer.json()) as { run_id: string }
      expect(answer.status).toBe(201)
      return run_id
    },
    /** Runs `switchyard run` from the prompt to the unpacked files, and compares the files. */
    async run(workspace: string) {
      const folder = await mkdtemp(join(tmpdir(), "rehearsal-out-"))
      try {
        const out = join(folder, "out")
        const env = { SWITCHYARD_TOKEN: secret, SWITCHYARD_API_KEY: workspace }
        const args = ["run", "Make a list.", "--out", out, "--workspace", workspace, "--model", MODEL]
        const ended = await switchyard(args, { url, env })
        expect(ended.code, ended.stdout + ended.stderr).toBe(0)
        for (const [path, text] of Object.entries(ZIPPED)) expect(await readFile(join(out, path), "utf8")).toBe(text)
        return ended
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },
  }
}
