import { createHash, randomUUID } from "node:crypto"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { createNewId } from "@switchyard/core/ids"
import { Scope } from "@switchyard/core/people/access/schema"
import { systemClock } from "@switchyard/core/time"
import { createAccess } from "@switchyard/functions/access"
import { loadConfig } from "@switchyard/functions/config"
import { STUDIO_PATHS } from "@switchyard/functions/http/studio"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { zipOf } from "../cli/zip.ts"
import { cases, someOf } from "../settings.ts"
import { app, endpoints } from "./described.ts"
import { type Answer, type Call, framesOf, startServer, type TestServer } from "./server.ts"

const ADMIN_TOKEN = "the-token-of-whoever-installed-it-all"
const env = { AUTH_MODE: "token", ADMIN_TOKEN, RATE_LIMIT_RUNS_PER_MINUTE: "0", RATE_LIMIT_ARCHIVES_PER_MINUTE: "0" }
const DAY_MS = 86_400_000
/** Appears in everything that Ada owns. */
const CANARY = "canary-of-ada"

/** Names in requests that identify an owner's things. */
interface Place {
  run: string
  workspace: string
  file: string
  account: string
  token: string
  key: string
  archive: string
}

interface Row {
  needs: "public" | "any" | Scope
  ask(place: Place): Call & { path: string }
}

const prompt = (place: Place) => ({ user_prompt: "Make a list.", workspace_id: place.workspace })
const session = (place: Place) => `/api/v1/sessions/${place.workspace}`
const team = (place: Place) => `/api/v1/teams/${place.workspace}`
const inside = (place: Place) => `workspace_id=${place.workspace}`

/** Returns the endpoints for teams, at both of their paths. */
function ofTeams(): Record<string, Row> {
  const rows: [name: string, needs: Row["needs"], ask: { path: string; json?: object }][] = [
    ["GET /", "read", { path: "" }],
    ["GET /board", "read", { path: "/board" }],
    ["GET /board/:node", "read", { path: "/board/node-1" }],
    ["DELETE /", "run", { path: "" }],
    ["GET /workers", "read", { path: "/workers" }],
    ["GET /conversation", "read", { path: "/conversation" }],
    ["GET /events", "read", { path: "/events" }],
    ["GET /messages", "read", { path: "/messages" }],
    ["GET /memory/search", "read", { path: "/memory/search?q=tea" }],
    ["GET /memory", "read", { path: "/memory" }],
    ["GET /workspace", "read", { path: "/workspace" }],
    ["GET /tools", "read", { path: "/tools" }],
    ["POST /send", "run", { path: "/send", json: { message: "Hello" } }],
    ["POST /respond", "run", { path: "/respond", json: { response: "Hello" } }],
    ["POST /nodes", "run", { path: "/nodes", json: { task: "Write it." } }],
    ["POST /nodes/:node/assign", "run", { path: "/nodes/node-1/assign", json: { worker: "Ada" } }],
    ["POST /nodes/:node/move", "run", { path: "/nodes/node-1/move", json: { before: null } }],
    ["POST /nodes/:node/retry", "run", { path: "/nodes/node-1/retry" }],
    ["POST /workers", "run", { path: "/workers", json: { name: "Ada", role: "Writes" } }],
    ["POST /pause", "run", { path: "/pause" }],
    ["POST /resume", "run", { path: "/resume" }],
    ["POST /stop", "run", { path: "/stop" }],
  ]
  const table: Record<string, Row> = {}
  for (const path of ["/api/v1/teams", "/agents"]) {
    table[`GET ${path}`] = { needs: "read", ask: () => ({ path }) }
    table[`POST ${path}`] = {
      needs: "run",
      ask: (place) => ({ path, json: { goal: "Make a list.", workspace_id: place.workspace } }),
    }
    for (const [name, needs, ask] of rows) {
      const [method, suffix = ""] = name.split(" ")
      table[`${method} ${path}/:id${suffix === "/" ? "" : suffix}`] = {
        needs,
        ask: ({ workspace }) => ({ ...ask, path: `${path}/${workspace}${ask.path}` }),
      }
    }
  }
  return table
}

/**
 * One row for each endpoint: the required scope, and a request that the tests send as every kind of caller. A new route
 * needs a row.
 */
const MATRIX: Record<string, Row> = {
  "GET /health": { needs: "public", ask: () => ({ path: "/health" }) },
  "GET /status": { needs: "public", ask: () => ({ path: "/status" }) },
  "GET /prompts/schema": { needs: "public", ask: () => ({ path: "/prompts/schema" }) },
  "GET /v1/prompts/schema": { needs: "public", ask: () => ({ path: "/v1/prompts/schema" }) },
  "GET /api/prompts": { needs: "public", ask: () => ({ path: "/api/prompts" }) },
  "GET /v1/prompt-policy": { needs: "public", ask: () => ({ path: "/v1/prompt-policy" }) },
  "GET /graph/schema": { needs: "public", ask: () => ({ path: "/graph/schema" }) },
  "GET /config.json": { needs: "public", ask: () => ({ path: "/config.json" }) },
  ...Object.fromEntries(
    STUDIO_PATHS.map((path) => [`GET ${path}`, { needs: "public", ask: () => ({ path: path.replace("*", "x") }) }]),
  ),
  "GET /assets/*": { needs: "public", ask: () => ({ path: "/assets/main-B1x_3d.js" }) },
  "GET /:file{[a-z0-9-]+\\.(?:svg|ico|png|webmanifest|txt)}": {
    needs: "public",
    ask: () => ({ path: "/favicon.svg" }),
  },
  "GET /openapi.json": { needs: "public", ask: () => ({ path: "/openapi.json" }) },
  "GET /api/docs": { needs: "public", ask: () => ({ path: "/api/docs" }) },
  "GET /blobs/:key": { needs: "public", ask: ({ run }) => ({ path: `/blobs/${run}` }) },

  "POST /hooks/:token": { needs: "public", ask: () => ({ path: "/hooks/none" }) },
  "GET /answer": { needs: "public", ask: ({ run }) => ({ path: `/answer?link=${run}` }) },
  "POST /answer": { needs: "public", ask: ({ run }) => ({ path: `/answer?link=${run}`, body: "choice=allow" }) },
  "POST /mcp": {
    needs: "any",
    ask: ({ run }) => ({
      path: "/mcp",
      json: {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "get_run", arguments: { run_id: run } },
      },
      headers: { accept: "application/json, text/event-stream" },
    }),
  },

  "POST /login": { needs: "public", ask: ({ token }) => ({ path: "/login", json: { token } }) },
  "POST /logout": { needs: "any", ask: () => ({ path: "/logout" }) },
  "GET /v1/me": { needs: "any", ask: () => ({ path: "/v1/me" }) },
  "POST /v1/tickets": {
    needs: "read",
    ask: ({ workspace }) => ({ path: "/v1/tickets", json: { purpose: "ws", resource: workspace } }),
  },
  "GET /v1/tokens": { needs: "read", ask: () => ({ path: "/v1/tokens" }) },
  "POST /v1/tokens": { needs: "admin", ask: () => ({ path: "/v1/tokens", json: { name: "x", scopes: ["read"] } }) },
  "DELETE /v1/tokens/:id": { needs: "run", ask: ({ token }) => ({ path: `/v1/tokens/${token}` }) },

  "POST /generate": { needs: "run", ask: (place) => ({ path: "/generate", json: prompt(place) }) },
  "POST /v1/workflows/run": { needs: "run", ask: (place) => ({ path: "/v1/workflows/run", json: prompt(place) }) },
  "POST /stream": { needs: "run", ask: (place) => ({ path: "/stream", json: prompt(place) }) },
  "POST /v1/workflows/stream": {
    needs: "run",
    ask: (place) => ({ path: "/v1/workflows/stream", json: prompt(place) }),
  },
  "POST /v1/runs": {
    needs: "run",
    ask: (place) => ({ path: "/v1/runs", json: prompt(place), headers: { "idempotency-key": place.key } }),
  },
  "GET /v1/runs": { needs: "read", ask: ({ run }) => ({ path: `/v1/runs?before=${run}` }) },
  "GET /v1/runs/:id/budget": { needs: "read", ask: ({ run }) => ({ path: `/v1/runs/${run}/budget` }) },
  "PUT /v1/runs/:id/budget": {
    needs: "run",
    ask: ({ run }) => ({ path: `/v1/runs/${run}/budget`, json: { usd: 1 } }),
  },
  "GET /v1/runs/:id": { needs: "read", ask: ({ run }) => ({ path: `/v1/runs/${run}` }) },
  "GET /v1/runs/:id/stream": { needs: "read", ask: ({ run }) => ({ path: `/v1/runs/${run}/stream` }) },
  "GET /v1/runs/:id/events": {
    needs: "read",
    ask: ({ run }) => ({ path: `/v1/runs/${run}/events`, headers: { accept: "text/event-stream" } }),
  },
  "POST /v1/runs/:id/cancel": { needs: "run", ask: ({ run }) => ({ path: `/v1/runs/${run}/cancel` }) },
  "POST /v1/runs/:id/resume": { needs: "run", ask: ({ run }) => ({ path: `/v1/runs/${run}/resume` }) },

  "POST /api/v1/sessions": { needs: "run", ask: () => ({ path: "/api/v1/sessions", json: { name: "x" } }) },
  "GET /api/v1/sessions": { needs: "read", ask: () => ({ path: "/api/v1/sessions" }) },
  "GET /api/v1/search": { needs: "read", ask: () => ({ path: "/api/v1/search?q=build" }) },
  "GET /api/v1/sessions/:id": { needs: "read", ask: (place) => ({ path: session(place) }) },
  "PATCH /api/v1/sessions/:id": {
    needs: "run",
    ask: (place) => ({ path: session(place), json: { name: "mine", pinned: true } }),
  },
  "DELETE /api/v1/sessions/:id": { needs: "run", ask: (place) => ({ path: session(place) }) },
  "POST /api/v1/sessions/:id/resume": { needs: "run", ask: (place) => ({ path: `${session(place)}/resume` }) },
  "POST /api/v1/sessions/:id/cancel": { needs: "run", ask: (place) => ({ path: `${session(place)}/cancel` }) },
  "GET /api/v1/sessions/:id/events": { needs: "read", ask: (place) => ({ path: `${session(place)}/events` }) },
  "GET /api/v1/sessions/:id/versions": { needs: "read", ask: (place) => ({ path: `${session(place)}/versions` }) },
  "GET /api/v1/sessions/:id/versions/:version/diff": {
    needs: "read",
    ask: (place) => ({ path: `${session(place)}/versions/0/diff` }),
  },
  "POST /api/v1/sessions/:id/versions/:version/restore": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/versions/1/restore` }),
  },
  "POST /api/v1/sessions/:id/versions/:version/fork": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/versions/1/fork` }),
  },
  "GET /api/v1/sessions/:id/stream": { needs: "read", ask: (place) => ({ path: `${session(place)}/stream` }) },
  "GET /api/v1/stream": {
    needs: "read",
    ask: ({ workspace, run }) => ({ path: `/api/v1/stream?sources=${workspace},${workspace}/${run}::c` }),
  },
  "POST /api/v1/sessions/:id/uploads": {
    needs: "run",
    ask: (place) => ({
      path: `${session(place)}/uploads`,
      headers: { "content-type": "multipart/form-data; boundary=x" },
      body: `--x\r\ncontent-disposition: form-data; name="file"; filename="a.gif"\r\n\r\nGIF89a${"\u0001".repeat(30)}\r\n--x--\r\n`,
    }),
  },
  "GET /api/v1/sessions/:id/artifacts/:sha256": {
    needs: "read",
    ask: (place) => ({ path: `${session(place)}/artifacts/${place.file}` }),
  },
  "POST /api/v1/sessions/:id/preview/server": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/preview/server`, json: {} }),
  },
  "DELETE /api/v1/sessions/:id/preview/server": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/preview/server` }),
  },
  "GET /api/v1/sessions/:id/preview": { needs: "read", ask: (place) => ({ path: `${session(place)}/preview` }) },
  "POST /api/v1/sessions/:id/tasks": {
    needs: "run",
    ask: (place) => ({
      path: `${session(place)}/tasks`,
      json: { task_description: "Try it.", coding_agent: place.account },
    }),
  },
  "POST /api/v1/sessions/:id/checks": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/checks`, json: { consent: true } }),
  },
  "GET /api/v1/sessions/:id/checks/commands": {
    needs: "read",
    ask: (place) => ({ path: `${session(place)}/checks/commands` }),
  },
  "GET /api/v1/sessions/:id/verification": {
    needs: "read",
    ask: (place) => ({ path: `${session(place)}/verification` }),
  },
  "PUT /api/v1/sessions/:id/verification": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/verification`, json: { verification_attempts: 2 } }),
  },
  "PUT /api/v1/sessions/:id/checks/commands": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/checks/commands`, json: { test: "npm run e2e" } }),
  },
  "POST /api/v1/sessions/:id/chat": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/chat`, json: { message: "Hello" } }),
  },
  "GET /api/v1/sessions/:id/chat": { needs: "read", ask: (place) => ({ path: `${session(place)}/chat` }) },
  "POST /api/v1/sessions/:id/chat/:request/cancel": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/chat/1700000000000-abcdef/cancel` }),
  },
  "POST /api/v1/sessions/:id/chat/:request/undo": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/chat/1700000000000-abcdef/undo` }),
  },
  "GET /api/v1/sessions/:id/chat/stream": {
    needs: "read",
    ask: (place) => ({ path: `${session(place)}/chat/stream?request_id=1700000000000-abcdef` }),
  },
  "PUT /api/v1/sessions/:id/chat/selection": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/chat/selection`, json: { files: [] } }),
  },
  "GET /api/v1/sessions/:id/chat/files": { needs: "read", ask: (place) => ({ path: `${session(place)}/chat/files` }) },
  "POST /api/v1/sessions/:id/chat/files": { needs: "run", ask: (place) => ({ path: `${session(place)}/chat/files` }) },
  "GET /api/v1/sessions/:id/chat/context": {
    needs: "read",
    ask: (place) => ({ path: `${session(place)}/chat/context` }),
  },
  "POST /api/v1/sessions/:id/chat/commit": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/chat/commit`, json: { message: "docs: say more" } }),
  },
  "POST /api/v1/sessions/:id/chat/reset": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/chat/reset`, json: { confirm: true } }),
  },
  "PUT /api/v1/sessions/:id/chat/system_extra": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/chat/system_extra`, json: { system_extra: null } }),
  },
  "POST /api/v1/sessions/:id/chat/review": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/chat/review`, json: {} }),
  },
  "DELETE /api/v1/sessions/:id/chat/review": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/chat/review` }),
  },
  "POST /api/v1/sessions/:id/chat/context/rebuild": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/chat/context/rebuild` }),
  },
  "POST /api/v1/sessions/:id/chat/urls": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/chat/urls`, json: { url: "http://127.0.0.1:9/" } }),
  },
  "DELETE /api/v1/sessions/:id/chat/urls": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/chat/urls?url=https://a.example/` }),
  },
  "GET /api/v1/sessions/:id/symbols": {
    needs: "read",
    ask: (place) => ({ path: `${session(place)}/symbols?path=a.txt` }),
  },
  "GET /api/v1/sessions/:id/symbols/map": {
    needs: "read",
    ask: (place) => ({ path: `${session(place)}/symbols/map` }),
  },
  "GET /api/v1/sessions/:id/chat/forecast": {
    needs: "read",
    ask: (place) => ({ path: `${session(place)}/chat/forecast` }),
  },
  "GET /api/v1/sessions/:id/chat/sessions": {
    needs: "read",
    ask: (place) => ({ path: `${session(place)}/chat/sessions` }),
  },
  "GET /api/v1/sessions/:id/chat/search": {
    needs: "read",
    ask: (place) => ({ path: `${session(place)}/chat/search?q=a` }),
  },
  "POST /api/v1/sessions/:id/chat/new": { needs: "run", ask: (place) => ({ path: `${session(place)}/chat/new` }) },
  "POST /api/v1/sessions/:id/chat/rewind": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/chat/rewind`, json: { to_seq: 1, files: false } }),
  },
  "POST /api/v1/sessions/:id/chat/fork": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/chat/fork`, json: { to_seq: 1 } }),
  },
  "POST /api/v1/sessions/:id/chat/load": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/chat/load`, json: { session_id: "sess_1" } }),
  },
  "GET /api/v1/sessions/:id/agents": { needs: "read", ask: (place) => ({ path: `${session(place)}/agents` }) },
  "POST /api/v1/sessions/:id/agents": {
    needs: "run",
    ask: (place) => ({
      path: `${session(place)}/agents`,
      json: { name: "mine", coding_agent: place.account, prompt: "Try it." },
    }),
  },
  "DELETE /api/v1/sessions/:id/agents": { needs: "run", ask: (place) => ({ path: `${session(place)}/agents` }) },
  "GET /api/v1/sessions/:id/agents/:agent": {
    needs: "read",
    ask: (place) => ({ path: `${session(place)}/agents/main` }),
  },
  "PATCH /api/v1/sessions/:id/agents/:agent": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/agents/main`, json: { mode: "bypass", draft: "Mine." } }),
  },
  "DELETE /api/v1/sessions/:id/agents/:agent": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/agents/helper` }),
  },
  "GET /api/v1/sessions/:id/agents/:agent/messages": {
    needs: "read",
    ask: (place) => ({ path: `${session(place)}/agents/main/messages` }),
  },
  "POST /api/v1/sessions/:id/agents/:agent/messages": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/agents/main/messages`, json: { content: "Try it." } }),
  },
  "POST /api/v1/sessions/:id/agents/:agent/interrupt": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/agents/main/interrupt`, json: { message: { content: "Try it." } } }),
  },
  "GET /api/v1/sessions/:id/agents/:agent/files": {
    needs: "read",
    ask: (place) => ({ path: `${session(place)}/agents/main/files` }),
  },
  "GET /api/v1/sessions/:id/agents/:agent/wait": {
    needs: "read",
    ask: (place) => ({ path: `${session(place)}/agents/main/wait` }),
  },
  "POST /api/v1/sessions/:id/agents/:agent/own-terminal": {
    needs: "admin",
    ask: (place) => ({ path: `${session(place)}/agents/main/own-terminal` }),
  },
  "GET /api/v1/native-sessions": { needs: "admin", ask: () => ({ path: "/api/v1/native-sessions?project_path=/tmp" }) },
  "GET /api/v1/questions": { needs: "read", ask: () => ({ path: "/api/v1/questions" }) },
  "GET /api/v1/sessions/:id/questions": { needs: "read", ask: (place) => ({ path: `${session(place)}/questions` }) },
  "POST /api/v1/sessions/:id/questions/:question/answer": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/questions/que_1/answer`, json: { choice: "allow" } }),
  },
  "GET /api/v1/git-hooks": { needs: "read", ask: () => ({ path: "/api/v1/git-hooks" }) },
  "POST /api/v1/git-hooks": {
    needs: "run",
    ask: () => ({
      path: "/api/v1/git-hooks",
      json: { repository: "https://127.0.0.1/x", kind: "github", rules: [{ on: "comment" }], coding_agent: "nobody" },
    }),
  },
  "DELETE /api/v1/git-hooks/:hook": { needs: "run", ask: ({ token }) => ({ path: `/api/v1/git-hooks/${token}` }) },
  "POST /api/v1/git-hooks/:hook/deliveries": {
    needs: "public",
    ask: ({ token }) => ({ path: `/api/v1/git-hooks/${token}/deliveries`, json: {} }),
  },
  "GET /api/v1/agent-setups": { needs: "admin", ask: () => ({ path: "/api/v1/agent-setups" }) },
  "PUT /api/v1/agent-setups/:cli": {
    needs: "admin",
    ask: () => ({ path: "/api/v1/agent-setups/claude", json: { digest: "0".repeat(64) } }),
  },
  "GET /api/v1/consents": { needs: "read", ask: () => ({ path: "/api/v1/consents" }) },
  "DELETE /api/v1/consents/:id": { needs: "run", ask: () => ({ path: "/api/v1/consents/workspaces" }) },
  "GET /api/v1/git-hosts": { needs: "read", ask: () => ({ path: "/api/v1/git-hosts" }) },
  "PUT /api/v1/git-hosts/:host": {
    needs: "run",
    ask: () => ({ path: "/api/v1/git-hosts/github.com", json: { token: "x" } }),
  },
  "DELETE /api/v1/git-hosts/:host": { needs: "run", ask: () => ({ path: "/api/v1/git-hosts/gitlab.com" }) },
  "POST /api/v1/sessions/:id/push": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/push`, json: { url: "https://127.0.0.1/ada/list" } }),
  },
  "GET /api/v1/sessions/:id/app": { needs: "read", ask: (place) => ({ path: `${session(place)}/app` }) },
  "POST /api/v1/sessions/:id/app": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/app`, json: { name: "list-of-ada" } }),
  },
  "GET /api/v1/apps": { needs: "read", ask: () => ({ path: "/api/v1/apps" }) },
  "GET /api/v1/apps/:name": { needs: "read", ask: () => ({ path: "/api/v1/apps/list-of-ada" }) },
  "DELETE /api/v1/apps/:name": { needs: "run", ask: () => ({ path: "/api/v1/apps/list-of-ada" }) },
  "GET /api/v1/webhooks": { needs: "read", ask: () => ({ path: "/api/v1/webhooks" }) },
  "POST /api/v1/webhooks": {
    needs: "run",
    ask: () => ({ path: "/api/v1/webhooks", json: { url: "https://127.0.0.1/x" } }),
  },
  "DELETE /api/v1/webhooks/:webhook": { needs: "run", ask: ({ token }) => ({ path: `/api/v1/webhooks/${token}` }) },
  "GET /api/v1/webhooks/:webhook/deliveries": {
    needs: "read",
    ask: ({ token }) => ({ path: `/api/v1/webhooks/${token}/deliveries` }),
  },
  "POST /api/v1/sessions/:id/questions/:question/link": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/questions/que_1/link`, json: {} }),
  },
  "GET /api/v1/sessions/:id/tasks/:task": {
    needs: "read",
    ask: (place) => ({ path: `${session(place)}/tasks/${place.run}` }),
  },
  "GET /api/v1/sessions/:id/terminals": {
    needs: "read",
    ask: (place) => ({ path: `${session(place)}/terminals` }),
  },
  "GET /api/v1/sessions/:id/terminals/:pty/stream": {
    needs: "read",
    ask: (place) => ({ path: `${session(place)}/terminals/${place.run}/stream` }),
  },
  "GET /api/v1/sessions/:id/terminals/:pty/recording": {
    needs: "read",
    ask: (place) => ({ path: `${session(place)}/terminals/${place.run}/recording` }),
  },
  "POST /api/v1/sessions/:id/terminals/:pty/input": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/terminals/${place.run}/input`, json: { data: "YQ==" } }),
  },
  "POST /api/v1/sessions/:id/terminals/:pty/resize": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/terminals/${place.run}/resize`, json: { rows: 24, cols: 80 } }),
  },
  "POST /api/v1/sessions/:id/input": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/input`, json: { data: "YQ==" } }),
  },
  "POST /api/v1/sessions/:id/resize": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/resize`, json: { rows: 24, cols: 80 } }),
  },
  "POST /api/v1/sessions/:id/messages": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/messages`, json: { content: "Hello" } }),
  },
  "POST /api/v1/sessions/:id/take-over": { needs: "run", ask: (place) => ({ path: `${session(place)}/take-over` }) },
  "POST /api/v1/sessions/:id/hand-back": { needs: "run", ask: (place) => ({ path: `${session(place)}/hand-back` }) },
  "GET /api/v1/sessions/:id/worktree": {
    needs: "read",
    ask: (place) => ({ path: `${session(place)}/worktree` }),
  },
  "GET /api/v1/sessions/:id/worktree/diff": {
    needs: "read",
    ask: (place) => ({ path: `${session(place)}/worktree/diff` }),
  },
  "GET /api/v1/sessions/:id/worktree/diff/full": {
    needs: "read",
    ask: (place) => ({ path: `${session(place)}/worktree/diff/full` }),
  },
  "GET /api/v1/sessions/:id/worktree/branches": {
    needs: "read",
    ask: (place) => ({ path: `${session(place)}/worktree/branches` }),
  },
  "GET /api/v1/sessions/:id/worktree/evidence": {
    needs: "read",
    ask: (place) => ({ path: `${session(place)}/worktree/evidence` }),
  },
  "GET /api/v1/sessions/:id/worktree/conflicts": {
    needs: "read",
    ask: (place) => ({ path: `${session(place)}/worktree/conflicts` }),
  },
  "GET /api/v1/sessions/:id/worktree/commands/:command": {
    needs: "read",
    ask: (place) => ({ path: `${session(place)}/worktree/commands/${place.run}` }),
  },
  "GET /api/v1/sessions/:id/collisions": {
    needs: "read",
    ask: (place) => ({ path: `${session(place)}/collisions` }),
  },
  "GET /api/v1/sessions/:id/budget": { needs: "read", ask: (place) => ({ path: `${session(place)}/budget` }) },
  "PUT /api/v1/sessions/:id/budget": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/budget`, json: { usd: 1 } }),
  },
  "GET /api/v1/sessions/:id/permissions": {
    needs: "read",
    ask: (place) => ({ path: `${session(place)}/permissions` }),
  },
  "PUT /api/v1/sessions/:id/permissions": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/permissions`, json: { rules: [] } }),
  },
  ...ofTeams(),
  "GET /api/v1/teams/:id/triggers": { needs: "read", ask: (place) => ({ path: `${team(place)}/triggers` }) },
  "POST /api/v1/teams/:id/triggers": {
    needs: "run",
    ask: (place) => ({
      path: `${team(place)}/triggers`,
      json: { when: { type: "webhook" }, action: { type: "wake_agent", message: "Look." } },
    }),
  },
  "DELETE /api/v1/teams/:id/triggers/:trigger": {
    needs: "run",
    ask: (place) => ({ path: `${team(place)}/triggers/trg_1` }),
  },
  "POST /api/v1/sessions/:id/bake-offs": {
    needs: "run",
    ask: (place) => ({
      path: `${session(place)}/bake-offs`,
      json: { task_description: "Do it.", entrants: [{ coding_agent: "mock" }, { coding_agent: "mock" }] },
    }),
  },
  "GET /api/v1/sessions/:id/bake-offs": { needs: "read", ask: (place) => ({ path: `${session(place)}/bake-offs` }) },
  "GET /api/v1/sessions/:id/bake-offs/:bake_off": {
    needs: "read",
    ask: (place) => ({ path: `${session(place)}/bake-offs/bko_1` }),
  },
  "POST /api/v1/sessions/:id/bake-offs/:bake_off/settle": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/bake-offs/bko_1/settle`, json: { adopt: null } }),
  },
  "POST /api/v1/sessions/:id/merge-trains": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/merge-trains`, json: { worktrees: ["main"] } }),
  },
  "GET /api/v1/sessions/:id/merge-trains/:run": {
    needs: "read",
    ask: (place) => ({ path: `${session(place)}/merge-trains/${place.run}` }),
  },
  "POST /api/v1/sessions/:id/worktree": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/worktree`, json: {} }),
  },
  "POST /api/v1/sessions/:id/worktree/merge": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/worktree/merge`, json: {} }),
  },
  "POST /api/v1/sessions/:id/worktree/update": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/worktree/update`, json: {} }),
  },
  "POST /api/v1/sessions/:id/worktree/resolve-conflicts": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/worktree/resolve-conflicts`, json: { use_incoming: true } }),
  },
  "POST /api/v1/sessions/:id/worktree/complete-merge": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/worktree/complete-merge`, json: {} }),
  },
  "POST /api/v1/sessions/:id/worktree/abort-merge": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/worktree/abort-merge`, json: {} }),
  },
  "POST /api/v1/sessions/:id/worktree/undo-merge": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/worktree/undo-merge`, json: {} }),
  },
  "POST /api/v1/sessions/:id/worktree/reset": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/worktree/reset`, json: {} }),
  },
  "POST /api/v1/sessions/:id/worktree/confirm-deletions": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/worktree/confirm-deletions`, json: {} }),
  },
  "POST /api/v1/sessions/:id/worktree/push": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/worktree/push`, json: {} }),
  },
  "POST /api/v1/sessions/:id/worktree/pull-request": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/worktree/pull-request`, json: {} }),
  },
  "POST /api/v1/sessions/:id/worktree/shell": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/worktree/shell`, json: {} }),
  },
  "POST /api/v1/sessions/:id/worktree/ask-agent": {
    needs: "run",
    ask: (place) => ({ path: `${session(place)}/worktree/ask-agent`, json: {} }),
  },
  "DELETE /api/v1/sessions/:id/worktree": { needs: "run", ask: (place) => ({ path: `${session(place)}/worktree` }) },
  "GET /api/v1/sessions/:id/milestones": { needs: "read", ask: (place) => ({ path: `${session(place)}/milestones` }) },
  "GET /api/v1/sessions/:id/conversation": {
    needs: "read",
    ask: (place) => ({ path: `${session(place)}/conversation` }),
  },

  "GET /api/v1/config/preferences": { needs: "read", ask: () => ({ path: "/api/v1/config/preferences" }) },
  "GET /api/v1/config/permissions": { needs: "read", ask: () => ({ path: "/api/v1/config/permissions" }) },
  "PUT /api/v1/config/permissions": {
    needs: "run",
    ask: () => ({ path: "/api/v1/config/permissions", json: { rules: [], repositories: [] } }),
  },
  "GET /api/v1/config/snippets": { needs: "read", ask: () => ({ path: "/api/v1/config/snippets" }) },
  "PUT /api/v1/config/snippets": {
    needs: "run",
    ask: () => ({ path: "/api/v1/config/snippets", json: { snippets: [] } }),
  },
  "GET /api/v1/config/repositories": { needs: "read", ask: () => ({ path: "/api/v1/config/repositories" }) },
  "PUT /api/v1/config/repositories": {
    needs: "run",
    ask: () => ({ path: "/api/v1/config/repositories", json: { repositories: [] } }),
  },
  ...Object.fromEntries(
    [
      ["mock-remaining-usage", { remaining: 0.1 }] as const,
      ["mock-context-remaining", { remaining: 0.1 }] as const,
      ["mock-run-duration", { seconds: 1 }] as const,
    ].flatMap(([name, json]): [string, Row][] => {
      const path = `/api/v1/config/${name}`
      return [
        [`GET ${path}/:account`, { needs: "read", ask: ({ account }) => ({ path: `${path}/${account}` }) }],
        [`PUT ${path}`, { needs: "run", ask: ({ account }) => ({ path, json: { account_name: account, ...json } }) }],
      ]
    }),
  ),
  ...Object.fromEntries(
    [
      ["cleanup", { cleanup_days: 2 }],
      ["verification", { enabled: true }],
      ["verification-agent", { account_name: null }],
      ["preferred-verification-model", { model: "mine" }],
      ["max-verification-attempts", { attempts: 2 }],
    ].flatMap(([name, json]): [string, Row][] => {
      const path = `/api/v1/config/${name}`
      return [
        [`GET ${path}`, { needs: "read", ask: () => ({ path }) }],
        [`PUT ${path}`, { needs: "run", ask: () => ({ path, json }) }],
      ]
    }),
  ),
  "GET /api/v1/config/projects": { needs: "read", ask: () => ({ path: "/api/v1/config/projects" }) },
  "GET /api/v1/config/project": {
    needs: "read",
    ask: () => ({ path: "/api/v1/config/project?project_path=https://example.com/a.git" }),
  },
  "PUT /api/v1/config/project": {
    needs: "run",
    ask: () => ({
      path: "/api/v1/config/project",
      json: { project_path: "https://example.com/a.git", instructions_paths: ["AGENTS.md"] },
    }),
  },
  "DELETE /api/v1/config/project": {
    needs: "run",
    ask: () => ({ path: "/api/v1/config/project?project_path=https://example.com/a.git" }),
  },
  "GET /api/v1/config/prompt-previews": {
    needs: "read",
    ask: () => ({ path: "/api/v1/config/prompt-previews?project_path=https://example.com/a.git" }),
  },
  "POST /api/v1/config/project/autoconfigure": {
    needs: "run",
    ask: () => ({
      path: "/api/v1/config/project/autoconfigure",
      json: { project_path: "https://example.com/a.git" },
    }),
  },
  "GET /api/v1/config/export": { needs: "read", ask: () => ({ path: "/api/v1/config/export" }) },
  "POST /api/v1/config/import": {
    needs: "run",
    ask: () => ({ path: "/api/v1/config/import", json: { config: {} } }),
  },
  "GET /api/v1/config/budget": { needs: "read", ask: () => ({ path: "/api/v1/config/budget" }) },
  "PUT /api/v1/config/budget": {
    needs: "run",
    ask: () => ({ path: "/api/v1/config/budget", json: { day_usd: 1000 } }),
  },
  "GET /api/v1/owners": { needs: "admin", ask: () => ({ path: "/api/v1/owners" }) },
  "GET /api/v1/config/action-settings": { needs: "read", ask: () => ({ path: "/api/v1/config/action-settings" }) },
  "PUT /api/v1/config/action-settings": {
    needs: "run",
    ask: () => ({ path: "/api/v1/config/action-settings", json: { max_waits: 2 } }),
  },
  "GET /api/v1/config/provider-fallback-order": {
    needs: "read",
    ask: () => ({ path: "/api/v1/config/provider-fallback-order" }),
  },
  "PUT /api/v1/config/provider-fallback-order": {
    needs: "run",
    ask: () => ({ path: "/api/v1/config/provider-fallback-order", json: { order: [] } }),
  },
  "GET /api/v1/config/usage-switch-threshold": {
    needs: "read",
    ask: () => ({ path: "/api/v1/config/usage-switch-threshold" }),
  },
  "PUT /api/v1/config/usage-switch-threshold": {
    needs: "run",
    ask: () => ({ path: "/api/v1/config/usage-switch-threshold", json: { threshold: 80 } }),
  },
  "GET /api/v1/config/context-switch-threshold": {
    needs: "read",
    ask: () => ({ path: "/api/v1/config/context-switch-threshold" }),
  },
  "PUT /api/v1/config/context-switch-threshold": {
    needs: "run",
    ask: () => ({ path: "/api/v1/config/context-switch-threshold", json: { threshold: 80 } }),
  },
  "PUT /api/v1/config/preferences": {
    needs: "run",
    ask: () => ({ path: "/api/v1/config/preferences", json: { theme: "dark" } }),
  },

  "GET /v1/models": { needs: "read", ask: () => ({ path: "/v1/models" }) },
  "GET /v1/models/:provider": { needs: "read", ask: () => ({ path: "/v1/models/scripted" }) },
  "GET /api/v1/providers": { needs: "read", ask: () => ({ path: "/api/v1/providers" }) },
  "GET /api/v1/accounts": { needs: "read", ask: () => ({ path: "/api/v1/accounts" }) },
  "POST /api/v1/accounts": {
    needs: "run",
    ask: ({ account }) => ({
      path: "/api/v1/accounts",
      json: { name: account, provider: "codex", api_key: "sk-other" },
    }),
  },
  "GET /api/v1/accounts/:name": { needs: "read", ask: ({ account }) => ({ path: `/api/v1/accounts/${account}` }) },
  "PUT /api/v1/accounts/:name/role": {
    needs: "run",
    ask: ({ account }) => ({ path: `/api/v1/accounts/${account}/role`, json: { role: "VERIFICATION" } }),
  },
  "GET /api/v1/accounts/:name/models": {
    needs: "read",
    ask: ({ account }) => ({ path: `/api/v1/accounts/${account}/models` }),
  },
  "PUT /api/v1/accounts/:name/model": {
    needs: "run",
    ask: ({ account }) => ({ path: `/api/v1/accounts/${account}/model`, json: { model: "mine" } }),
  },
  "PUT /api/v1/accounts/:name/key": {
    needs: "run",
    ask: ({ account }) => ({ path: `/api/v1/accounts/${account}/key`, json: { api_key: "sk-ant-another" } }),
  },
  "POST /api/v1/accounts/:name/login": {
    needs: "run",
    ask: ({ account }) => ({ path: `/api/v1/accounts/${account}/login`, json: { provider: "codex" } }),
  },
  "PUT /api/v1/accounts/:name/login": {
    needs: "run",
    ask: ({ account }) => ({
      path: `/api/v1/accounts/${account}/login`,
      json: {
        files: {
          ".credentials.json": JSON.stringify({ claudeAiOauth: { accessToken: "sk-ant-oat01-of-nobody-else" } }),
        },
        consent: true,
      },
    }),
  },
  "PUT /api/v1/accounts/:name/reasoning": {
    needs: "run",
    ask: ({ account }) => ({ path: `/api/v1/accounts/${account}/reasoning`, json: { reasoning: "low" } }),
  },
  "GET /api/v1/accounts/:name/usage": {
    needs: "read",
    ask: ({ account }) => ({ path: `/api/v1/accounts/${account}/usage` }),
  },
  "GET /api/v1/usage": { needs: "read", ask: ({ run }) => ({ path: `/api/v1/usage?group_by=run&run=${run}` }) },
  "GET /api/v1/usage.csv": { needs: "read", ask: ({ run }) => ({ path: `/api/v1/usage.csv?group_by=run&run=${run}` }) },
  "GET /api/v1/usage/estimate": { needs: "read", ask: () => ({ path: "/api/v1/usage/estimate" }) },
  "GET /api/v1/keys": { needs: "read", ask: () => ({ path: "/api/v1/keys" }) },
  "PUT /api/v1/keys/:provider": {
    needs: "run",
    ask: () => ({ path: "/api/v1/keys/groq", json: { api_key: "gsk_another", test: false } }),
  },
  "DELETE /api/v1/keys/:provider": { needs: "run", ask: () => ({ path: "/api/v1/keys/groq" }) },
  "DELETE /api/v1/accounts/:name": { needs: "run", ask: ({ account }) => ({ path: `/api/v1/accounts/${account}` }) },

  "GET /workspace/tree": { needs: "read", ask: (place) => ({ path: `/workspace/tree?${inside(place)}` }) },
  "GET /workspace/files": { needs: "read", ask: (place) => ({ path: `/workspace/files?${inside(place)}` }) },
  "GET /workspace/file": { needs: "read", ask: (place) => ({ path: `/workspace/file?path=a.txt&${inside(place)}` }) },
  "GET /workspace/download": {
    needs: "read",
    ask: (place) => ({ path: `/workspace/download?link=1&${inside(place)}` }),
  },
  "GET /workspace/archives/:archive": {
    needs: "read",
    ask: (place) => ({ path: `/workspace/archives/${place.archive}?${inside(place)}` }),
  },
  "PUT /workspace/file": {
    needs: "run",
    ask: ({ workspace }) => ({
      path: "/workspace/file",
      json: { path: "a.txt", content: "overwritten", workspace_id: workspace },
    }),
  },
  "PUT /workspace/archive": {
    needs: "run",
    ask: ({ workspace }) => ({
      path: "/workspace/archive",
      json: { zip: zipOf([{ name: "a.txt", content: "overwritten" }]).toString("base64"), workspace_id: workspace },
    }),
  },
  "DELETE /workspace/path": {
    needs: "run",
    ask: (place) => ({ path: `/workspace/path?path=a.txt&${inside(place)}` }),
  },
  "DELETE /workspace/file": {
    needs: "run",
    ask: (place) => ({ path: `/workspace/file?path=a.txt&${inside(place)}` }),
  },
  "POST /workspace/folder": {
    needs: "run",
    ask: ({ workspace }) => ({ path: "/workspace/folder", json: { path: "made", workspace_id: workspace } }),
  },
  "POST /workspace/rename": {
    needs: "run",
    ask: ({ workspace }) => ({
      path: "/workspace/rename",
      json: { from_path: "a.txt", to_path: "b.txt", workspace_id: workspace },
    }),
  },
  "POST /workspace/session": { needs: "run", ask: () => ({ path: "/workspace/session" }) },
  "POST /workspace/session/:id/touch": {
    needs: "run",
    ask: ({ workspace }) => ({ path: `/workspace/session/${workspace}/touch` }),
  },
  "POST /workspace/session/touch": {
    needs: "run",
    ask: ({ workspace }) => ({ path: "/workspace/session/touch", headers: { "x-workspace-id": workspace } }),
  },
  "DELETE /workspace/session/:id": {
    needs: "run",
    ask: ({ workspace }) => ({ path: `/workspace/session/${workspace}` }),
  },
  "DELETE /workspace/session": { needs: "run", ask: (place) => ({ path: `/workspace/session?${inside(place)}` }) },
}

const rows = Object.entries(MATRIX).map(([route, row]) => ({ route, method: route.split(" ")[0] ?? "", ...row }))
const guarded = rows.filter(({ needs }) => needs !== "public")
const everyScope: Scope[] = ["read", "run"]

let server: TestServer
let aheadMs = 0
let ada: { secret: string; place: Place }
const nowhere: Place = {
  run: `run_${"0".repeat(26)}`,
  workspace: "no-such-place-",
  file: "0".repeat(64),
  account: "account-of-nobody-",
  token: `tok_${"0".repeat(26)}`,
  key: "key-of-nobodys",
  archive: "0".repeat(64),
}

beforeAll(async () => {
  const now = () => systemClock.now() + aheadMs
  const monotonic = () => systemClock.monotonic() + aheadMs
  server = await startServer({ env, clock: { ...systemClock, now, monotonic } })
  const { secret, id } = await tokenOf("ada-of-canary", everyScope, { name: CANARY })
  const workspace = "garden-of-ada-"
  const headers = bearer(secret)
  const run = await server.run(
    { user_prompt: CANARY, workspace_id: workspace },
    { headers: { ...headers, "idempotency-key": "key-of-ada-own" } },
  )
  for (const workspace_id of [workspace, "default"]) {
    const json = { path: "a.txt", content: CANARY, workspace_id }
    await server.call("PUT", "/workspace/file", { json, headers })
  }
  await requestZip(workspace, headers)
  const [zip] = (await Array.fromAsync(server.stores.blobs.list("s/", {}))).filter(({ key }) => key.endsWith(".zip"))
  const archive = /(\w+)\.zip$/.exec(zip?.key ?? "")?.[1] ?? "none"
  const account = "work-of-ada-"
  const kept = { name: account, provider: "claude", api_key: CANARY, model: CANARY }
  await server.call("POST", "/api/v1/accounts", { json: kept, headers })
  await server.call("PUT", "/api/v1/keys/groq", {
    json: { api_key: "gsk_that-ada-keeps-to-herself", test: false },
    headers,
  })
  const json = { name: "list-of-ada" }
  expect((await server.call("POST", `/api/v1/sessions/${workspace}/app`, { json, headers })).status).toBe(201)
  const file = createHash("sha256").update(CANARY).digest("hex")
  ada = {
    secret,
    place: { run: run.run_id, workspace, file, account, token: id, key: "key-of-ada-own", archive },
  }
})
afterAll(() => server.close())

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })

async function tokenOf(owner: string, scopes: Scope[], request: object = {}): Promise<{ secret: string; id: string }> {
  const json = { name: "x", owner, scopes, ...request }
  return (await server.call("POST", "/v1/tokens", { json, headers: bearer(ADMIN_TOKEN) })).body
}

async function logIn(token: string): Promise<{ cookie: string; csrf: string }> {
  // The fastest rate at which the server allows logins.
  aheadMs += 3_000
  const { headers, body } = await server.call("POST", "/login", { json: { token } })
  return { cookie: headers.get("set-cookie")?.split(";")[0] ?? "", csrf: body.csrf_token }
}

/** Touches the workspace and creates its zip, which is stored for an hour. */
async function requestZip(workspace: string, headers: Record<string, string>): Promise<void> {
  await server.call("POST", "/workspace/session/touch", { json: { workspace_id: workspace }, headers })
  expect(await server.call("GET", `/workspace/download?workspace_id=${workspace}`, { headers })).toMatchObject({
    status: 302,
  })
}

function ask({ method, ask }: (typeof rows)[number], place: Place, headers: Record<string, string>): Promise<Answer> {
  const { path, ...call } = ask(place)
  return server.call(method, path, { ...call, headers: { ...call.headers, ...headers } })
}

/** Returns an answer without the parts that differ in every answer. */
function seen({ status, headers, text }: Answer, place: Place): unknown {
  const named = Object.values(place).reduce((rest, name) => rest.replaceAll(name, "(named)"), text)
  const told = named
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "(time)")
    .replaceAll(/(run|evt|tc|tok|sy|whk)_[0-9a-z]{26}(_[0-9a-f]{40})?/g, "($1)")
    .replaceAll(/stranger-[12]/g, "(stranger)")
    .replaceAll(/"(ticket|workspace_id|url|secret)":"[^"]*"/g, '"$1":"($1)"')
    .replaceAll(/"id":"[0-9a-f]{32}"/g, '"id":"(id)"')
    .replaceAll(/"(duration_ms|elapsed_ms)":[\d.]+/g, '"$1":0')
  if (headers.get("content-type") === "text/event-stream") {
    return { status, told: [...new Set(framesOf(text).map(({ event }) => event))].sort() }
  }
  const of = [...headers].filter(([name]) => !["date", "content-length", "x-run-id"].includes(name))
  return { status, headers: of, told }
}

/** Returns Ada's things as short texts. No other caller may change them. */
async function adasThings(): Promise<string[]> {
  const paths = [
    `/workspace/files?workspace_id=${ada.place.workspace}`,
    "/workspace/files",
    "/v1/runs",
    `/v1/runs/${ada.place.run}/events`,
    "/v1/tokens",
    "/api/v1/sessions",
    "/api/v1/accounts",
    "/api/v1/apps",
    "/api/v1/keys",
    `${session(ada.place)}/events`,
    `${session(ada.place)}/artifacts/${ada.place.file}`,
  ]
  const own: Record<string, string> = {
    ...{ "/v1/runs": ada.place.run, "/api/v1/apps": "list-of-ada", "/api/v1/keys": "groq" },
  }
  return Promise.all(
    paths.map(async (path) => {
      const { text } = await server.call("GET", path, { headers: bearer(ada.secret) })
      expect(text).toContain(own[path] ?? CANARY)
      const lasting = text.replaceAll(/"(expires_at|last_used_at)":("[^"]*"|null)/g, "")
      return `${path} ${createHash("sha256").update(lasting).digest("hex")}`
    }),
  )
}

/** Checks after each request in the deep run, so that a failure names the route. */
async function expectUnchangedEachTime(before: string[]): Promise<void> {
  if (cases({ usual: 0, deep: 1 }) > 0) expect(await adasThings()).toEqual(before)
}

describe("the matrix of who may do what", () => {
  it("has a row for every route, and no row for none", () => {
    expect(endpoints.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(Object.keys(MATRIX).sort())
  })

  it("sees every route: what answers all methods is middleware, and nothing else", () => {
    const all = app.routes.filter(({ method }) => method === "ALL").map(({ path }) => path)
    expect(new Set(all)).toEqual(new Set(["/*"]))
  })
})

describe("a caller who is nobody", () => {
  let nobodies: Record<string, string>[]
  let before: string[]
  beforeAll(async () => {
    const revoked = await tokenOf("eve", everyScope)
    const loggedIn = await tokenOf("eve", everyScope)
    const { cookie } = await logIn(loggedIn.secret)
    const expired = await tokenOf("eve", everyScope, { expires_in_days: 1 })
    for (const { id } of [revoked, loggedIn]) {
      await server.call("DELETE", `/v1/tokens/${id}`, { headers: bearer(ADMIN_TOKEN) })
    }
    nobodies = [
      {},
      bearer(""),
      bearer("garbled"),
      bearer(ADMIN_TOKEN.slice(0, -1)),
      bearer(`${ada.secret.slice(0, -1)}${ada.secret.endsWith("0") ? "1" : "0"}`),
      bearer(revoked.secret),
      bearer(expired.secret),
      { authorization: `Basic ${Buffer.from(`ada:${ada.secret}`).toString("base64")}` },
      { cookie },
      { cookie: "switchyard=garbled" },
      { cookie: `switchyard=${ada.secret}` },
      // An invalid Authorization header is refused, although the cookie is valid.
      { ...bearer("garbled"), cookie: (await logIn(ada.secret)).cookie },
    ]
    aheadMs += DAY_MS
    before = await adasThings()
  })

  it.each(guarded)("is told the same by $route, whatever they lack and whatever they ask for", async (row) => {
    const from = async (place: Place, who: Record<string, string>) => seen(await ask(row, place, who), place)
    const [first, ...others] = await Promise.all([
      ...nobodies.map((who) => from(ada.place, who)),
      ...someOf(nobodies, 2).map((who) => from(nowhere, who)),
    ])
    expect(first).toMatchObject({ status: 401 })
    expect(JSON.stringify(first)).toContain('\\"code\\":\\"unauthorized\\"')
    for (const other of others) expect(other).toEqual(first)
  })

  it("is told no more by the head of an answer", async () => {
    for (const row of guarded.filter(({ method }) => method === "GET")) {
      expect(await ask({ ...row, method: "HEAD" }, ada.place, {}), row.route).toMatchObject({ status: 401, text: "" })
    }
  })

  it("changed nothing of anybody's by all of that", async () => {
    expect(await adasThings()).toEqual(before)
  })

  it.each(rows.filter(({ needs }) => needs === "public"))(
    "may ask for $route, and learns nothing there",
    async (row) => {
      const mine = await ask(row, ada.place, {})
      expect(seen(await ask(row, nowhere, {}), nowhere)).toEqual(seen(mine, ada.place))
      expect(mine.text).not.toContain(CANARY)
      const isSigned = /^POST \/login$|\/answer$|\/blobs\/:|\/deliveries$|\/hooks\/:/.test(row.route)
      if (!isSigned) expect(mine.status).toBe(200)
    },
  )
})

describe("a token", () => {
  /** A token of Ada's for each scope that has all other scopes. */
  const without = new Map<string, string>()
  let before: string[]
  beforeAll(async () => {
    for (const scope of Scope.options) {
      const others = Scope.options.filter((other) => other !== scope)
      without.set(scope, (await tokenOf("ada-of-canary", others)).secret)
    }
    before = await adasThings()
  })

  it.each(guarded.filter(({ needs }) => needs !== "any"))("without its scope is not let into $route", async (row) => {
    const secret = without.get(row.needs) ?? ""
    const answer = await ask(row, ada.place, bearer(secret))
    expect(answer).toMatchObject({ status: 403, body: { error: { code: "forbidden" } } })
    expect(seen(await ask(row, nowhere, bearer(secret)), nowhere)).toEqual(seen(answer, ada.place))
    await expectUnchangedEachTime(before)
  })

  it("without its scope changed nothing by all of that", async () => {
    expect(await adasThings()).toEqual(before)
  })

  it.each(guarded)("with no more than its scope is let into $route", async (row) => {
    const scope: Scope = row.needs === "any" || row.needs === "public" ? "read" : row.needs
    const { secret } = await tokenOf(`owner-${randomUUID()}`, [scope])
    expect([401, 403]).not.toContain((await ask(row, nowhere, bearer(secret))).status)
  })
})

describe("Ada herself", () => {
  it("is given the zip that others are asked about", async () => {
    // The clock is a day ahead by now, and a session's zips are deleted an hour after its last use.
    await requestZip(ada.place.workspace, bearer(ada.secret))
    const path = `/workspace/archives/${ada.place.archive}?workspace_id=${ada.place.workspace}`
    expect(await server.call("GET", path, { headers: bearer(ada.secret) })).toMatchObject({ status: 200 })
  })
})

describe("somebody else", () => {
  let before: string[]
  beforeAll(async () => {
    before = await adasThings()
  })

  // An administrator sees which owners have a budget and how much of it is used.
  const ofOne = guarded.filter(({ route }) => route !== "GET /api/v1/owners")
  it.each(ofOne)("is told by $route of what is Ada's as of what isn't there", async (row) => {
    const scopes: Scope[] = row.needs === "admin" ? ["admin"] : everyScope
    const answers: unknown[] = []
    for (const [owner, place] of [
      ["stranger-1", ada.place],
      ["stranger-2", nowhere],
    ] as const) {
      const { secret, id } = await tokenOf(`${owner}-${row.route.replaceAll(/\W+/g, "-").toLowerCase()}`, scopes)
      const answer = await ask(row, place, bearer(secret))
      // No answer contains Ada's content or name, not even an admin's.
      expect(answer.text).not.toContain(CANARY)
      expect(answer.text).not.toContain("ada-of-canary")
      expect(answer.status).not.toBe(401)
      answers.push(seen({ ...answer, text: answer.text.replaceAll(id, "(mine)").replaceAll(secret, "") }, place))
    }
    expect(answers[0]).toEqual(answers[1])
    await expectUnchangedEachTime(before)
  })

  it("changed nothing of Ada's by all of that", async () => {
    expect(await adasThings()).toEqual(before)
  })

  it("has a `default` of their own", async () => {
    const { secret } = await tokenOf("bob", everyScope)
    const mine = await server.call("GET", "/workspace/files", { headers: bearer(ada.secret) })
    const theirs = await server.call("GET", "/workspace/files", { headers: bearer(secret) })
    expect([mine.body.files, theirs.body.files]).toEqual([{ "a.txt": CANARY }, {}])
  })

  it("may use the keys that Ada uses: they are no more hers than theirs", async () => {
    const { secret } = await tokenOf("bob", everyScope)
    const start = (token: string, user_prompt: string) =>
      server.run({ user_prompt }, { headers: { ...bearer(token), "idempotency-key": "build-1" } })
    const hers = await start(ada.secret, "A page")
    const theirs = await start(secret, "A page about something else")
    expect(theirs.run_id).not.toBe(hers.run_id)
    expect((await start(ada.secret, "A page")).run_id).toBe(hers.run_id)
  })

  it("shares with nobody but the tokens of the same owner", async () => {
    const { secret } = await tokenOf("ada-of-canary", everyScope)
    const files = await server.call("GET", "/workspace/files", { headers: bearer(secret) })
    const run = await server.call("GET", `/v1/runs/${ada.place.run}`, { headers: bearer(secret) })
    expect([files.body.files, run.status]).toEqual([{ "a.txt": CANARY }, 200])
  })

  it("is not Ada for having the right to make tokens", async () => {
    const { secret } = await tokenOf("root-of-them", ["admin", "read", "run"])
    for (const headers of [bearer(secret), bearer(ADMIN_TOKEN)]) {
      const run = await server.call("GET", `/v1/runs/${ada.place.run}`, { headers })
      expect(run).toMatchObject({ status: 404, body: { error: { code: "run_not_found" } } })
      expect((await server.call("GET", "/v1/runs", { headers })).text).not.toContain(ada.place.run)
    }
  })

  it("sees no usage and no budget but their own, and an admin may see and limit everyone's", async () => {
    const put = (secret: string, owner: string, json: object) =>
      server.call("PUT", `/api/v1/config/budget?owner=${owner}`, { json, headers: bearer(secret) })
    const get = (secret: string, path: string) => server.call("GET", path, { headers: bearer(secret) })
    const { secret: eve } = await tokenOf("eve", everyScope)
    const forbidden = { status: 403, body: { error: { code: "forbidden", details: { scope: "admin" } } } }
    expect(await put(eve, "ada-of-canary", { day_usd: 0 })).toMatchObject(forbidden)
    for (const path of ["config/budget", "usage", "usage.csv"])
      expect(await get(eve, `/api/v1/${path}?owner=ada-of-canary`), path).toMatchObject(forbidden)

    expect(await put(ADMIN_TOKEN, "ada-of-canary", { month_tokens: 1_000_000 })).toMatchObject({ status: 200 })
    const limited = (await get(ada.secret, "/api/v1/config/budget?owner=ada-of-canary")).body
    expect(limited).toMatchObject({ month_tokens: 1_000_000, day_usd: null, reached: null })
    for (const month_tokens of [null, 2_000_000]) {
      const lifted = await put(ada.secret, "ada-of-canary", { month_tokens })
      expect(lifted).toMatchObject({ status: 403, body: { error: { details: { setting: "your budget" } } } })
    }
    const { owners } = (await get(ADMIN_TOKEN, "/api/v1/owners")).body
    expect(owners).toContainEqual({ owner: "ada-of-canary", budget: limited })
    expect(owners).toContainEqual(expect.objectContaining({ owner: "admin" }))
    const reported = await get(ADMIN_TOKEN, `/api/v1/usage?owner=ada-of-canary&group_by=run&run=${ada.place.run}`)
    expect(reported.body.groups).toMatchObject([{ run: ada.place.run }])
    expect((await get(ADMIN_TOKEN, "/api/v1/usage")).body.groups).toEqual([])
    expect(await put(ADMIN_TOKEN, "ada-of-canary", { month_tokens: null })).toMatchObject({ status: 200 })
  })

  it("sees no token but their own, and an admin all of them", async () => {
    const { secret } = await tokenOf("carol", everyScope)
    const { tokens } = (await server.call("GET", "/v1/tokens", { headers: bearer(secret) })).body
    expect(tokens.map(({ owner }: { owner: string }) => owner)).toEqual(["carol"])
    const all = await server.call("GET", "/v1/tokens", { headers: bearer(ADMIN_TOKEN) })
    expect(all.text).toContain(ada.place.token)
    // Checks the names of fields, because a random id may contain any text.
    expect(all.text).not.toMatch(/sy_|"hash"|"secret"/)
  })
})

describe("a browser that has logged in", () => {
  const changing = guarded.filter(({ method }) => method !== "GET")
  type LogIn = Awaited<ReturnType<typeof logIn>>
  let mine: LogIn
  let others: LogIn
  let before: string[]
  beforeAll(async () => {
    ;[mine, others] = [await logIn(ada.secret), await logIn(ada.secret)]
    before = await adasThings()
  })

  it.each(changing)("is not let into $route without the token of its pages", async (row) => {
    const { cookie } = mine
    const attempts: Record<string, string>[] = [
      { cookie },
      { cookie, "x-csrf-token": "" },
      { cookie, "x-csrf-token": others.csrf },
      { cookie, "x-csrf-token": cookie.split("=")[1] ?? "" },
      { cookie, "x-csrf-token": `${mine.csrf}x` },
      { cookie: `${cookie}; csrf=${mine.csrf}` },
    ]
    for (const headers of attempts) {
      const answer = await ask(row, ada.place, headers)
      const { error } = answer.body
      // MCP has its own error format.
      expect([answer.status, error.data?.code ?? error.code], row.route).toEqual([403, "forbidden"])
    }
    await expectUnchangedEachTime(before)
  })

  it("changed nothing without it by all of that", async () => {
    expect(await adasThings()).toEqual(before)
  })

  it.each(changing.filter(({ needs }) => needs !== "admin"))("may do $route with it", async (row) => {
    const { secret } = await tokenOf(`owner-${randomUUID()}`, everyScope)
    const { cookie, csrf } = await logIn(secret)
    const answer = await ask(row, nowhere, { cookie, "x-csrf-token": csrf })
    expect([401, 403]).not.toContain(answer.status)
  })

  it("reads without it, and no more than its token may", async () => {
    const { cookie } = await logIn((await tokenOf("dora", ["read"])).secret)
    expect((await server.call("GET", "/v1/runs", { headers: { cookie } })).status).toBe(200)
    expect((await server.call("GET", `/v1/runs/${ada.place.run}`, { headers: { cookie } })).status).toBe(404)
    expect((await server.call("GET", "/v1/tokens", { headers: { cookie } })).text).not.toContain(CANARY)
  })
})

describe("a signed URL", () => {
  let signed: string
  beforeAll(async () => {
    const path = `/workspace/download?link=1&workspace_id=${ada.place.workspace}`
    const { body } = await server.call("GET", path, { headers: bearer(ada.secret) })
    signed = body.url.slice(server.url.length)
  })

  it("gives whoever has it what it names, and no page", async () => {
    const zip = await server.call("GET", signed)
    expect([zip.status, zip.text.slice(0, 2)]).toEqual([200, "PK"])
    expect(zip.headers.get("content-security-policy")).toContain("sandbox")
  })

  it("gives nothing once any part of it is another, and doesn't tell whether there was anything", async () => {
    const url = new URL(signed, server.url)
    const elsewhere = new URL(url)
    elsewhere.pathname = `/blobs/${Buffer.from("s/none/1/artifacts/x.zip").toString("base64url")}`
    const altered = [...url.searchParams.keys()].flatMap((name) => {
      const [changed, missing] = [new URL(url), new URL(url)]
      const value = url.searchParams.get(name) ?? ""
      changed.searchParams.set(name, name === "expires" ? String(Number(value) + 1) : `A${value.slice(1)}B`)
      missing.searchParams.delete(name)
      return [changed, missing]
    })
    const answers = await Promise.all(
      [elsewhere, ...altered].map(async ({ pathname, search }) => {
        const answer = await server.call("GET", `${pathname}${search}`, { headers: bearer(ada.secret) })
        return seen(answer, nowhere)
      }),
    )
    expect(answers[0]).toMatchObject({ status: 403 })
    for (const answer of answers) expect(answer).toEqual(answers[0])
  })

  it("gives nothing when its time is over", async () => {
    aheadMs += 800_000
    expect((await server.call("GET", signed)).status).toBe(200)
    aheadMs += 101_000
    expect((await server.call("GET", signed)).status).toBe(403)
  })
})

describe("a ticket", () => {
  const options = {}
  /** Creates the server's tickets as its socket does. */
  async function tickets() {
    const clock = { ...systemClock, now: () => systemClock.now() + aheadMs }
    return createAccess(loadConfig(env), {
      records: server.stores.records,
      clock,
      newId: createNewId(clock.now),
      report: () => {},
      masterKey: await readFile(join(server.folder, "master.key")),
    }).tickets
  }
  const issue = async (headers: Record<string, string>) =>
    (await server.call("POST", "/v1/tickets", { json: { purpose: "ws", resource: ada.place.workspace }, headers })).body
  const here = () => ({ purpose: "ws", resource: ada.place.workspace })

  it("stands for who asked for it, so that another's of the same name leads to what is theirs", async () => {
    const { redeem } = await tickets()
    const { secret } = await tokenOf("bob", ["read"])
    const [hers, theirs] = [await issue(bearer(ada.secret)), await issue(bearer(secret))]
    expect(await redeem(hers.ticket, here(), options)).toMatchObject({ owner: "ada-of-canary", scopes: everyScope })
    expect(await redeem(theirs.ticket, here(), options)).toMatchObject({ owner: "bob", scopes: ["read"] })
  })

  it("is good once, for a minute, and while its token is", async () => {
    const { redeem } = await tickets()
    const [used, late] = [await issue(bearer(ada.secret)), await issue(bearer(ada.secret))]
    expect(await redeem(used.ticket, here(), options)).toBeDefined()
    expect(await redeem(used.ticket, here(), options)).toBeUndefined()
    const { secret, id } = await tokenOf("bob", everyScope)
    const orphan = await issue(bearer(secret))
    await server.call("DELETE", `/v1/tokens/${id}`, { headers: bearer(secret) })
    expect(await redeem(orphan.ticket, here(), options)).toBeUndefined()
    aheadMs += 60_000
    expect(await redeem(late.ticket, here(), options)).toBeUndefined()
  })

  it("is no token", async () => {
    const { ticket } = await issue(bearer(ada.secret))
    expect((await server.call("GET", "/v1/me", { headers: bearer(ticket) })).status).toBe(401)
    expect((await server.call("GET", `/v1/me?ticket=${ticket}`)).status).toBe(401)
  })
})
