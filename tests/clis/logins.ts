import assert from "node:assert/strict"
import { mkdir, symlink, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { dirname, join } from "node:path"
import { clis } from "@switchyard/core/agents/clis/clis"
import { startServer } from "../functions/server.ts"
import { models, NOWHERE } from "./scenarios.ts"
import { type Script, startScriptedModel } from "./scripted-model.ts"

/** Programs whose own login an account can have. */
export const usedForLogins = ["codex", "claude"] as const
type Program = (typeof usedForLogins)[number]

const MADE = "made-with-a-login.txt"

export const nameOfLogin = (cli: Program) =>
  `${clis[cli].title} works with its own login, which is stored as it leaves it and shown nowhere`

/** Scripts that make the program print its own login and create a file. */
const SCRIPTS: Record<Program, Script> = {
  codex: [[{ run: `cat "$CODEX_HOME/auth.json" && echo made > ${MADE}` }]],
  claude: [[{ run: `cat "$HOME/.claude/.credentials.json" && echo made > ${MADE}` }]],
}

/**
 * Has the real program work with its own login on a whole server, twice. Codex first has to renew an old login, which
 * its vendor would allow once. Afterward, only the program's own files in its home and the sealed store may have the
 * login.
 */
export async function playLogin(cli: Program, programs: string): Promise<void> {
  Object.assign(process.env, NOWHERE)
  const now = Math.floor(Date.now() / 1000)
  const old = { access: tokenOf("old", now - 3600), refresh: "rt_old-canary-0123456789abcdef" }
  const fresh = { access: tokenOf("fresh", now + 86_400), refresh: "rt_fresh-canary-0123456789abcdef" }
  let project = ""
  await using model = await startScriptedModel(fresh.access, () => project)
  model.script = SCRIPTS[cli]
  await using maker = await startMaker(fresh)
  const server = await startServer({ leaks: true })
  try {
    const folder = join(dirname(server.folder), "programs")
    await mkdir(folder)
    const real = join(programs, `${cli}-${clis[cli].package?.version}`, "bin", cli)
    await writeFile(join(folder, cli), redirected(cli, { real, model: model.url, maker: maker.url }), { mode: 0o755 })
    await mkdir(server.folder, { recursive: true })
    await symlink(programs, join(server.folder, "programs"))
    process.env.PATH = `${folder}:${process.env.PATH}`
    const files = cli === "codex" ? codexFiles(old) : claudeFiles(fresh, now + 86_400)
    const login = { files, consent: true }
    const json = { name: "plan", provider: cli, login, model: models[cli] }
    const made = await server.call("POST", "/api/v1/accounts", { json })
    assert.equal(made.status, 201, made.text)
    for (let time = 1; time <= 2; time++) {
      const { id } = (await server.call("POST", "/api/v1/sessions")).body
      project = join(server.folder, "projects", id)
      const task = { coding_agent: "plan", consent: true, task_description: "Make a file." }
      const begun = await server.call("POST", `/api/v1/sessions/${id}/tasks`, { json: task })
      assert.equal(begun.status, 201, begun.text)
      const run = await server.ended(begun.body.task_id)
      const { text } = await server.call("GET", `/api/v1/sessions/${id}/events?limit=1000`)
      assert.equal(run.status, "completed", `${JSON.stringify(run.error)} ${text}`)
      const file = await server.call("GET", `/workspace/file?path=${MADE}&workspace_id=${id}`)
      assert.equal(file.body.content, "made\n", text)
      // The program printed the file, but the log has none of its tokens.
      assert.match(text, cli === "codex" ? /id_token/ : /refreshToken/)
      assert.match(text, /\*{20}/)
      assert.doesNotMatch(text, /canary/)
      for (const { access } of [old, fresh]) assert.ok(!text.includes(access.slice(-40)), "A token is in the log.")
    }
    const refreshes = maker.asked.filter((asked) => asked.includes(old.refresh) || asked.includes(fresh.refresh))
    assert.equal(refreshes.length, cli === "codex" ? 1 : 0, maker.asked.join("\n"))
    for (const [file, bytes] of await server.kept()) {
      if (file.includes("/homes/")) continue
      for (const token of [old.access, old.refresh, fresh.access, fresh.refresh])
        assert.ok(!bytes.includes(token.slice(-30)), `A token stands in ${file}.`)
    }
    const left = [...(await server.kept()).keys()].filter((file) => /\/(?:auth|\.credentials)\.json$/.test(file))
    assert.deepEqual(left, [])
    assert.deepEqual(server.reported, [])
  } finally {
    await server.close()
  }
}

/** Starts the vendor's services as far as its program uses them: they renew a login. */
async function startMaker(fresh: { access: string; refresh: string }) {
  const asked: string[] = []
  const server = createServer(async (request, response) => {
    let body = ""
    for await (const chunk of request) body += chunk
    asked.push(`${request.method} ${request.url} ${body}`)
    const tokens = { access_token: fresh.access, id_token: fresh.access, refresh_token: fresh.refresh }
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(tokens))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/**
 * Returns a script that runs the program with the scripted servers in place of its vendor's. With a login, Codex would
 * compress its requests, which these servers can't read.
 */
function redirected(cli: Program, { real, model, maker }: { real: string; model: string; maker: string }): string {
  const lines = {
    codex: [
      `export CODEX_REFRESH_TOKEN_URL_OVERRIDE=${maker}/oauth/token`,
      `exec ${real} -c features.enable_request_compression=false -c 'openai_base_url="${model}/v1"' -c 'chatgpt_base_url="${maker}/backend-api/"' "$@"`,
    ],
    claude: [`export ANTHROPIC_BASE_URL=${model}`, `exec ${real} "$@"`],
  }
  return ["#!/bin/sh", ...lines[cli], ""].join("\n")
}

function codexFiles({ access, refresh }: { access: string; refresh: string }) {
  const tokens = { id_token: access, access_token: access, refresh_token: refresh, account_id: "acct-1" }
  const login = { auth_mode: "chatgpt", OPENAI_API_KEY: null, tokens, last_refresh: "2026-01-01T00:00:00.000000Z" }
  return { "auth.json": JSON.stringify(login) }
}

function claudeFiles({ access, refresh }: { access: string; refresh: string }, expiresAt: number) {
  const scopes = ["user:inference", "user:profile"]
  const login = {
    accessToken: access,
    refreshToken: refresh,
    expiresAt: expiresAt * 1000,
    scopes,
    subscriptionType: "pro",
  }
  return { ".credentials.json": JSON.stringify({ claudeAiOauth: login }) }
}

/** Returns a token with the claims that Codex reads: its owner and its end, in Unix seconds. */
function tokenOf(name: string, exp: number): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")
  const about = { chatgpt_plan_type: "plus", chatgpt_account_id: "acct-1", chatgpt_user_id: "user-1" }
  const claims = { exp, email: "ada@example.org", sub: name, "https://api.openai.com/auth": about }
  return [part({ alg: "RS256" }), part(claims), Buffer.from(`signature-of-${name}`).toString("base64url")].join(".")
}
