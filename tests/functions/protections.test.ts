import { mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { LOOSENING_ROUTES, scopeOf } from "@switchyard/functions/http/permissions"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { removeFolder } from "../remove-folder.ts"
import { makeRepository } from "./agents/repository.ts"
import { endpoints } from "./described.ts"
import { type Answer, startServer, type TestServer } from "./server.ts"

const ADMIN_TOKEN = "the-token-of-whoever-installed-it-all"
const DENY = { tool: "bash", command: "git push", effect: "deny" }
const ASK = { tool: "write", effect: "ask" }
const ALLOW = { tool: "bash", command: "npm test", effect: "allow" }
const REPOSITORY = "https://git.example.org/ada/project.git"

let server: TestServer
let folder: string
let admin: Record<string, string>
let run: Record<string, string>
/** One session in a repository with an agent that asks, and one session with only a file. */
let session: string
let asking: { run_id: string; question_id: string }
let plain: string
let settings: object

type Sent = [path: string, json?: object]
interface Row {
  /** Requests that set up the protection, sent with the scope `admin`. */
  before?: () => [method: string, ...Sent][]
  /** Requests that the scope `run` allows, because they weaken nothing. */
  tight?: () => Sent[]
  /** Requests that weaken a protection. */
  loose: () => Sent[]
}

const config = (name: string) => `/api/v1/config/${name}`
const of = (id: string, rest: string) => `/api/v1/sessions/${id}/${rest}`
/** Row for a route that takes consent to run programs on this machine. */
const consents = (path: () => string, json: object = {}): Row => ({
  loose: () => [[path(), { ...json, consent: true }]],
})
const verified = { verify: true, allow_test_changes: false, verification_agent: "strict" }
const verifiedRepository = {
  repositories: [{ repository: REPOSITORY, verification: verified, checks: { test: "make t" } }],
}
const task = { coding_agent: "mock", task_description: "Do it." }
const verification = (path: string, held: object, tight: object[], loose: object[]): Row => ({
  before: () => [["PUT", path, held]],
  tight: () => tight.map((json) => [path, json]),
  loose: () => loose.map((json) => [path, json]),
})

/** Every route that can weaken a protection. */
const ROWS: Record<string, Row> = {
  "PUT /api/v1/config/budget": {
    before: () => [["PUT", config("budget"), { day_usd: 5, month_usd: null, day_tokens: null }]],
    tight: () => [
      [config("budget"), { day_usd: 5, month_usd: 50 }],
      [config("budget"), { day_usd: 4.5 }],
    ],
    loose: () => [
      [config("budget"), { day_usd: null, month_usd: null, day_tokens: null, month_tokens: null }],
      [config("budget"), { day_usd: 4.6 }],
      [config("budget"), { day_usd: 1, month_usd: 51 }],
    ],
  },
  "PUT /api/v1/sessions/:id/budget": {
    before: () => [["PUT", of(plain, "budget"), { usd: 5, tokens: null }]],
    tight: () => [[of(plain, "budget"), { usd: 4, tokens: 100_000, minutes: 10 }]],
    loose: () => [
      [of(plain, "budget"), { usd: 5 }],
      [of(plain, "budget"), { minutes: null }],
    ],
  },
  "PUT /v1/runs/:id/budget": {
    before: () => [["PUT", `/v1/runs/${asking.run_id}/budget`, { usd: 5 }]],
    tight: () => [[`/v1/runs/${asking.run_id}/budget`, { usd: 4 }]],
    loose: () => [[`/v1/runs/${asking.run_id}/budget`, { usd: null }]],
  },
  "PUT /api/v1/config/permissions": {
    before: () => [["PUT", config("permissions"), { rules: [DENY, ASK], repositories: [] }]],
    tight: () => [
      [config("permissions"), { rules: [DENY, ASK, { tool: "any", path: ".env", effect: "deny" }], repositories: [] }],
    ],
    loose: () => [
      [config("permissions"), { rules: [], repositories: [] }],
      [config("permissions"), { rules: [DENY, ASK, ALLOW], repositories: [] }],
      [config("permissions"), { rules: [DENY, ASK], repositories: [{ repository: REPOSITORY, rules: [ALLOW] }] }],
    ],
  },
  "PUT /api/v1/sessions/:id/permissions": {
    before: () => [["PUT", of(plain, "permissions"), { rules: [DENY] }]],
    tight: () => [[of(plain, "permissions"), { rules: [ASK, DENY] }]],
    loose: () => [
      [of(plain, "permissions"), { rules: [ASK] }],
      [of(plain, "permissions"), { rules: [ASK, DENY, ALLOW] }],
    ],
  },
  "PUT /api/v1/config/repositories": {
    before: () => [["PUT", config("repositories"), verifiedRepository]],
    tight: () => [
      [
        config("repositories"),
        { repositories: [...verifiedRepository.repositories, { repository: "/other", setup: "make" }] },
      ],
    ],
    loose: () => [
      [config("repositories"), { repositories: [] }],
      [
        config("repositories"),
        { repositories: [{ ...verifiedRepository.repositories[0], verification: { verify: true } }] },
      ],
      [config("repositories"), { repositories: [{ ...verifiedRepository.repositories[0], checks: { test: "true" } }] }],
      [
        config("repositories"),
        {
          repositories: [
            ...verifiedRepository.repositories,
            { repository: "/x", verification: { allow_test_changes: true } },
          ],
        },
      ],
    ],
  },
  "PUT /api/v1/config/project": {
    tight: () => [
      [config("project"), { project_path: REPOSITORY, setup_command: "make setup", test_command: "make t" }],
    ],
    loose: () => [[config("project"), { project_path: REPOSITORY, test_command: "true" }]],
  },
  "DELETE /api/v1/config/project": {
    before: () => [["PUT", config("repositories"), verifiedRepository]],
    loose: () => [[`${config("project")}?project_path=${encodeURIComponent(REPOSITORY)}`]],
  },
  "PUT /api/v1/config/verification": verification(
    config("verification"),
    { enabled: true, auto_run: true },
    [{ auto_run: true }],
    [{ enabled: false }, { auto_run: false }],
  ),
  "PUT /api/v1/config/verification-agent": verification(
    config("verification-agent"),
    { account_name: "strict" },
    [{ account_name: "strict" }],
    [{ account_name: null }, { account_name: "mock" }],
  ),
  "PUT /api/v1/config/preferred-verification-model": verification(
    config("preferred-verification-model"),
    { model: "large" },
    [{ model: "large" }],
    [{ model: "small" }, { model: null }],
  ),
  "PUT /api/v1/accounts/:name/role": {
    before: () => [["PUT", config("verification-agent"), { account_name: "strict" }]],
    tight: () => [["/api/v1/accounts/strict/role", { role: "VERIFICATION" }]],
    loose: () => [["/api/v1/accounts/strict/role", { role: "CODING" }]],
  },
  "DELETE /api/v1/accounts/:name": {
    before: () => [["PUT", config("verification-agent"), { account_name: "second" }]],
    loose: () => [["/api/v1/accounts/second"]],
  },
  "DELETE /api/v1/keys/:provider": {
    before: () => [
      ["PUT", "/api/v1/keys/anthropic", { api_key: "sk-ant-of-mine", test: false, use_for_agent: true }],
      ["PUT", config("verification-agent"), { account_name: "claude" }],
    ],
    loose: () => [["/api/v1/keys/anthropic"]],
  },
  "PUT /api/v1/sessions/:id/checks/commands": {
    before: () => [["PUT", of(plain, "checks/commands"), { test: "make t" }]],
    tight: () => [[of(plain, "checks/commands"), { test: "make t" }]],
    loose: () => [
      [of(plain, "checks/commands"), {}],
      [of(plain, "checks/commands"), { test: "true" }],
    ],
  },
  "POST /api/v1/config/import": {
    tight: () => [[config("import"), { config: settings }]],
    loose: () => [[config("import"), { config: { ...settings, permissions: { rules: [], repositories: [] } } }]],
  },
  "POST /api/v1/sessions/:id/questions/:question/answer": {
    loose: () => [[of(session, `questions/${asking.question_id}/answer`), { choice: "allow_session" }]],
  },
  ...Object.fromEntries(
    ["/api/v1/teams/:id/respond", "/agents/:id/respond"].map((path) => [
      `POST ${path}`,
      {
        loose: () => [[path.replace(":id", session), { response: "allow_session" }]],
      } as unknown as Row,
    ]),
  ),
  ...Object.fromEntries(
    ["/generate", "/stream", "/v1/workflows/run", "/v1/workflows/stream"].map((path): [string, Row] => [
      `POST ${path}`,
      {
        before: () => [["PUT", of(plain, "verification"), { allow_test_changes: false }]],
        loose: () => [[path, { user_prompt: "A page", workspace_id: plain, allow_test_changes: true }]],
      },
    ]),
  ),
  "POST /v1/runs": {
    before: () => [["PUT", of(plain, "verification"), { allow_test_changes: false }]],
    loose: () => [
      ["/v1/runs", { user_prompt: "A page", workspace_id: plain, allow_test_changes: true }],
      ["/v1/runs", { kind: "agent", user_prompt: "Do it.", coding_agent: "mock", verify: false }],
      ["/v1/runs", { kind: "agent", user_prompt: "Do it.", coding_agent: "real", mode: "bypass", consent: true }],
      ["/v1/runs", { user_prompt: "A page", check: true, consent: true }],
    ],
  },
  "POST /api/v1/sessions/:id/tasks": {
    before: () => [["PUT", of(session, "verification"), { allow_test_changes: false }]],
    loose: () => [
      [of(session, "tasks"), { ...task, verify: false }],
      [of(session, "tasks"), { ...task, allow_test_changes: true }],
      [of(session, "tasks"), { ...task, verification_agent: "mock" }],
      [of(session, "tasks"), { ...task, coding_agent: "real", mode: "bypass", consent: true }],
    ],
  },
  "POST /api/v1/sessions/:id/checks": consents(() => of(plain, "checks")),
  "POST /api/v1/sessions/:id/preview/server": consents(() => of(plain, "preview/server")),
  "POST /api/v1/sessions/:id/agents": consents(() => of(session, "agents"), {
    name: "another",
    coding_agent: "real",
    mode: "bypass",
  }),
  "PATCH /api/v1/sessions/:id/agents/:agent": consents(() => of(session, "agents/asking"), {
    ...{ coding_agent: "real", mode: "bypass" },
  }),
  "POST /api/v1/sessions/:id/bake-offs": {
    loose: () => [
      [
        of(session, "bake-offs"),
        {
          task_description: "Do it.",
          entrants: [{ coding_agent: "mock" }, { coding_agent: "mock" }],
          verify: true,
          allow_test_changes: true,
          mode: "ask",
        },
      ],
    ],
  },
  "POST /api/v1/sessions/:id/merge-trains": consents(() => of(session, "merge-trains"), {
    ...{ worktrees: ["main"], checks: true },
  }),
  "POST /api/v1/teams": consents(() => "/api/v1/teams", { goal: "A page" }),
  "POST /agents": consents(() => "/agents", { goal: "A page" }),
  // Runs last, because it consents to checks.
  "PUT /api/v1/sessions/:id/verification": {
    before: () => [["PUT", of(plain, "verification"), { ...verified, consent: true }]],
    tight: () => [[of(plain, "verification"), { verification_attempts: 3 }]],
    loose: () => [
      [of(plain, "verification"), { verify: false }],
      [of(plain, "verification"), { allow_test_changes: true }],
      [of(plain, "verification"), { verification_agent: "__verification_none__" }],
    ],
  },
}

/** Routes that write settings or credentials and weaken no protection, with the reason. */
const PROTECT_NOTHING: Record<string, string> = {
  "POST /v1/tokens": "takes admin",
  "DELETE /v1/tokens/:id": "ends a right",
  "PUT /api/v1/config/preferences": "changes the studio, and instructions for chats, which run gives itself",
  "PUT /api/v1/config/snippets": "changes texts that the studio offers",
  ...Object.fromEntries(
    ["mock-remaining-usage", "mock-context-remaining", "mock-run-duration"].map((name) => [
      `PUT /api/v1/config/${name}`,
      "concerns the mock agent alone",
    ]),
  ),
  ...Object.fromEntries(
    ["action-settings", "provider-fallback-order", "usage-switch-threshold", "context-switch-threshold"].map((name) => [
      `PUT /api/v1/config/${name}`,
      "chooses between accounts that run may use, each within the owner's budget",
    ]),
  ),
  "PUT /api/v1/config/cleanup": "deletes sessions sooner, which run may delete at once",
  "PUT /api/v1/config/max-verification-attempts": "repeats a proof, and leaves it as strict as it is",
  "POST /api/v1/config/project/autoconfigure": "proposes settings, and stores none",
  ...Object.fromEntries(
    ["POST /api/v1/webhooks", "DELETE /api/v1/webhooks/:webhook"].map((route) => [
      route,
      "messages contain what run may read itself",
    ]),
  ),
  ...Object.fromEntries(
    ["POST /api/v1/git-hooks", "DELETE /api/v1/git-hooks/:hook"].map((route) => [
      route,
      "starts runs, as run may itself; they weaken nothing",
    ]),
  ),
  ...Object.fromEntries(
    ["PUT /api/v1/git-hosts/:host", "DELETE /api/v1/git-hosts/:host", "POST /api/v1/accounts"].map((route) => [
      route,
      "stores or removes a credential, and shows none",
    ]),
  ),
  ...Object.fromEntries(
    ["PUT :name/model", "PUT :name/key", "PUT :name/login", "POST :name/login", "PUT :name/reasoning"].map((route) => [
      route.replace(" ", " /api/v1/accounts/"),
      "changes an account, whose use is within the owner's budget",
    ]),
  ),
}

beforeAll(async () => {
  server = await startServer({ env: { AUTH_MODE: "token", ADMIN_TOKEN, RATE_LIMIT_RUNS_PER_MINUTE: "0" } })
  folder = await mkdtemp(join(tmpdir(), "switchyard-protections-"))
  admin = await bearer(["read", "run", "admin"])
  run = await bearer(["read", "run"])
  for (const name of ["strict", "second"]) await send("POST", ["/api/v1/accounts", { name, provider: "mock" }], admin)
  await send("POST", ["/api/v1/accounts", { name: "real", provider: "claude", api_key: "sk-ant-of-nobody" }], admin)
  plain = (await send("POST", ["/api/v1/sessions", {}], admin)).body.id
  const file = { workspace_id: plain, path: "index.html", content: "<p>Hello</p>" }
  await send("PUT", ["/workspace/file", file], admin)
  const { folder: project_path } = makeRepository(join(folder, "project"), { "README.md": "Mine.\n" })
  session = (await send("POST", ["/api/v1/sessions", {}], admin)).body.id
  await send("POST", [of(session, "agents"), { name: "asking", coding_agent: "mock", mode: "ask" }], admin)
  const first = { ...task, project_path }
  await server.ended((await send("POST", [of(session, "tasks"), first], admin)).body.task_id, { headers: admin })
  const knobs = { files: { "a.txt": "one" } }
  const asks = {
    ...task,
    task_description: `mock: ${JSON.stringify(knobs)}`,
    agent_id: "main",
    mode: "ask",
    project_path,
  }
  const { task_id } = (await send("POST", [of(session, "tasks"), asks], admin)).body
  const [{ question_id }] = (await send("GET", [of(session, "questions?wait=50")], admin)).body.questions
  asking = { run_id: task_id, question_id }
})
afterAll(async () => {
  await send("POST", [`/v1/runs/${asking.run_id}/cancel`, {}], admin)
  await server.ended(asking.run_id, { headers: admin })
  await server.close()
  await removeFolder(folder, { kill: true })
})

async function bearer(scopes: string[]) {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
  const { body } = await server.call("POST", "/v1/tokens", { json: { name: "x", owner: "ada", scopes }, headers })
  return { authorization: `Bearer ${body.secret}` }
}

async function send(method: string, [path, json]: Sent, headers: Record<string, string>): Promise<Answer> {
  const answer = await server.call(method, path, { ...(json && { json }), headers })
  expect(answer.status, `${method} ${path} ${answer.text}`).toBeLessThan(300)
  return answer
}

it("has a row for every route that can weaken a protection, and each takes more than its own scope", () => {
  // This route starts a task the way the tasks' route does, but only for a stopped merge.
  const tried = [...Object.keys(ROWS), "POST /api/v1/sessions/:id/worktree/ask-agent"]
  expect(tried.sort()).toEqual([...LOOSENING_ROUTES].sort())
  for (const route of LOOSENING_ROUTES) expect([route, scopeOf(route)]).toEqual([route, "run"])
})

it("knows of every route that writes an owner's settings whether it can weaken a protection, or why it can't", () => {
  const settings = /^(?!GET )\w+ \/(?:api\/v1\/(?:config|accounts|webhooks|git-hooks|git-hosts)|v1\/tokens)\b/
  const routes = endpoints.map(({ method, path }) => `${method} ${path}`)
  const others = routes.filter(
    (route) => settings.test(route) && !LOOSENING_ROUTES.has(route) && scopeOf(route) !== "public",
  )
  expect(others.sort()).toEqual(Object.keys(PROTECT_NOTHING).sort())
})

describe.each(Object.entries(ROWS))("%s", (route, { before = () => [], tight = () => [], loose }) => {
  const method = route.split(" ")[0] ?? ""
  it("lets a token with run tighten, and not weaken, what protects its owner", async () => {
    for (const [method, ...sent] of before()) await send(method, sent, admin)
    settings = (await send("GET", [config("export")], admin)).body
    for (const sent of tight()) await send(method, sent, run)
    for (const [path, json] of loose()) {
      const refused = await server.call(method, path, { ...(json && { json }), headers: run })
      expect(refused, JSON.stringify(json)).toMatchObject({
        ...{ status: 403, body: { error: { code: "forbidden", details: { scope: "admin" } } } },
      })
      expect(refused.body.error.message).toMatch(/`run` may only tighten it.*`admin`/)
    }
  })
})

it("takes no answer by a link that weakens a protection", async () => {
  const rules = { rules: [ASK], repositories: [] }
  await send("PUT", [config("permissions"), rules], admin)
  const { link } = (await send("POST", [of(session, `questions/${asking.question_id}/link`), {}], admin)).body
  const answered = await fetch(`${server.url}${link}`, {
    method: "POST",
    body: new URLSearchParams({ choice: "allow_session" }),
  })
  expect([answered.status, (await answered.json()).error.details.scope]).toEqual([403, "admin"])
})

it.each(Object.entries(ROWS).filter(([, { tight }]) => tight))("%s weakens it with admin", async (route, { loose }) => {
  for (const sent of loose()) await send(route.split(" ")[0] ?? "", sent, admin)
})
