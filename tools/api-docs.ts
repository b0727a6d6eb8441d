import { writeFileSync } from "node:fs"
import { SessionEvent } from "@switchyard/core/events"
import { MAX_EDITABLE_CHARS } from "@switchyard/core/files/workspaces/text"
import { type LimitedText, TEXT_LIMITS } from "@switchyard/core/text-limits-schema"
import { MAX_MUTABLE_PROMPT_CHARS } from "@switchyard/core/work/workflow/prompts/mutable-prompts"
import { createApp } from "@switchyard/functions/app"
import { loadConfig } from "@switchyard/functions/config"
import type { AppDeps } from "@switchyard/functions/deps"
import { Env } from "@switchyard/functions/environment"
import { STATUS } from "@switchyard/functions/http/errors"
import { LOOSENING_SCOPE, REQUIRED_SCOPE } from "@switchyard/functions/http/permissions"
import type * as z from "zod"

/** Generates `docs/api.md` from the code. A test compares it with the file; run this script to write the file. */
export function apiDocs(): string {
  return [
    "# API",
    "Generated from the code by `node tools/api-docs.ts`; a test keeps it current. A running server has the same as `/openapi.json`, and as a page at `/api/docs`.",
    INTRODUCTION,
    "Each change is tested with clients that `openapi-typescript`, `openapi-python-client`, `oapi-codegen` (Go) and `openapi-generator` (Java) generate from `/openapi.json`.",
    "## Endpoints",
    "If the server requires tokens, send one as `Authorization: Bearer …`. It must have the scope in the table; `any` accepts every scope, and `public` needs no token. `run (admin)` means: with `run`, a request may only tighten the settings that protect its owner; weakening them needs `admin`. See [Security](security.md).",
    ...endpoints(),
    "## Errors",
    'The body is always `{"error": {"code", "message", "details"}}`; `details` is null if there is nothing to add.',
    table(
      ["code", "status"],
      Object.entries(STATUS).map(([code, status]) => [`\`${code}\``, String(status)]),
    ),
    "## Texts",
    "Maximum characters of texts. The first four count an emoji as two, as UTF-16 does. A longer text is a `validation_error` that names its field, and changes nothing.",
    table(["what", "characters"], texts()),
    "## Events",
    "Every event has `event_id`, `seq` (order and identity, from 1 without a gap), `ts` (for people), `type` and `session_id`. Events of a run also have `run_id` and `agent_id`. Readers keep unknown types. The log may store a field above 32 KB as `{sha256, size_bytes, key}`; the endpoints return its content.",
    table(["type", "meaning", "fields"], SessionEvent.options.map(eventRow)),
    "## Settings",
    "Set in the environment, or in a file `.env` beside `package.json`.",
    table(["variable", "default", "purpose"], Object.entries(Env.shape).map(settingRow)),
    "",
  ].join("\n\n")
}

const INTRODUCTION = `\`/stream\` and \`/v1/runs/{id}/stream\` send server-sent events with one envelope; every field is on every event, and null where it doesn't
apply. A frame's id is \`seq.n\`; \`/v1/runs/{id}/stream\` goes on after the one in \`Last-Event-ID\`. \`/v1/runs/{id}/events\` sends the log's own events, ids are
\`seq\`, and ends with a frame \`end\`. A stream that ends without a last event was cut: come back with the last id.
A token's \`metadata.message_id\` names the answer of the model that it is part of. An answer that is cut is given anew, as another one: whoever
joins tokens drops those of the answers in \`details.discarded_message_ids\`.
Asked for more than an ended run has, both answer 204, at which an \`EventSource\` stops; so do a session's stream for the task that has ended
and the stream of a terminal that has. Between two events there may be a comment that keeps the connection open.

Without a \`workspace_id\`, \`/generate\` and \`/stream\` share the session \`default\`: of calls at the same time one runs and the others get
\`409 run_active\`, and the files of unrelated prompts gather there. Name a workspace for each, or use \`POST /v1/runs\`, which makes one.

A request below \`/v1\` or \`/api/v1\` that changes something is refused where it has a query parameter that the endpoint doesn't have: with
a misspelled \`worktree\`, another one would be changed. Reads ignore it, and so do the other paths.

A page of another origin may call where \`CORS_ALLOWED_ORIGINS\` lists it. It fetches the files by \`GET /workspace/download?link=1\`, and then the
address in the answer without further headers: deployed, that is the bucket's.

Deployed, a \`/generate\` that takes longer than 25 seconds begins its answer with status 200 and keeps it open with spaces until the JSON. If
the run fails after that, the body is the error envelope: look for \`error\` in it.`

function texts(): string[][] {
  const what = {
    prompt: "a request for a run (`user_prompt`), a task, a prompt that replaces the default, a message to a chat",
    message: "a message to an agent, its first prompt, its draft, the commit message of a merge",
    goal: "a team's goal, a node's task, a message to a team",
    answer: "an answer to a question",
  } satisfies Record<LimitedText, string>
  const limits: [string, number][] = [
    ...(Object.keys(what) as LimitedText[]).map((text): [string, number] => [what[text], TEXT_LIMITS[text]]),
    ["the open layer of a node's prompt", MAX_MUTABLE_PROMPT_CHARS],
    ["a file that is edited", MAX_EDITABLE_CHARS],
  ]
  return limits.map(([text, chars]) => [text, chars.toLocaleString("en")])
}

/** A schema of the description, or a reference to a schema. */
type Schema = { $ref: string } | { properties?: Record<string, unknown>; required?: string[] }

interface Operation {
  summary: string
  tags: string[]
  parameters?: { name: string; in: string; required?: boolean; description?: string }[]
  requestBody?: {
    content: { [type: string]: { schema: Schema } }
  }
}

function endpoints(): string[] {
  const { paths, components } = createApp(describedDeps()).getOpenAPI31Document({
    openapi: "3.1.0",
    info: { title: "", version: "" },
  })
  const operations = Object.entries(paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods as unknown as Record<string, Operation>).map(([method, operation]) => ({
      method,
      path,
      operation,
    })),
  )
  const tags = [...new Set(operations.map(({ operation }) => operation.tags[0] ?? ""))]
  return tags.flatMap((tag) => [
    `### ${tag}`,
    table(
      ["", "purpose", "scope", "takes"],
      operations
        .filter(({ operation }) => operation.tags[0] === tag)
        .map(({ method, path, operation }) => [
          `\`${method.toUpperCase()} ${path}\``,
          operation.summary,
          scopeOf(`${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`),
          takes(operation, (components?.schemas ?? {}) as Record<string, Schema>),
        ]),
    ),
  ])
}

/** Returns the scope of a route, and the scope for weakening a protection with it. */
function scopeOf(route: string): string {
  const scope = REQUIRED_SCOPE[route] ?? "admin"
  const loosening = LOOSENING_SCOPE[route]
  return loosening ? `${scope} (${loosening})` : scope
}

function takes({ parameters = [], requestBody }: Operation, schemas: Record<string, Schema>): string {
  const [sent] = Object.values(requestBody?.content ?? {}).map(({ schema }) => schema)
  const named = sent && "$ref" in sent ? schemas[sent.$ref.replace("#/components/schemas/", "")] : sent
  const body = named && "$ref" in named ? undefined : named
  const fields = Object.keys(body?.properties ?? {}).map((name) => (body?.required?.includes(name) ? name : `${name}?`))
  const others = parameters
    .filter(({ in: place }) => place !== "path")
    .map(({ name, in: place, required }) => `${place} \`${name}${required ? "" : "?"}\``)
  return [...(fields.length > 0 ? [`body \`{${fields.join(", ")}}\``] : []), ...others].join(", ")
}

function eventRow(option: (typeof SessionEvent.options)[number]): string[] {
  const common = ["type", "run_id", "agent_id", "turn_id"]
  const fields = Object.entries(option.shape).filter(([name]) => !common.includes(name))
  const names = fields.map(([name, schema]) => (schema.safeParse(undefined).success ? `${name}?` : name))
  return [`\`${option.shape.type.value}\``, option.description ?? "", names.map((name) => `\`${name}\``).join(", ")]
}

function settingRow([name, schema]: [string, z.ZodType]): string[] {
  const value = (loadedDefaults as Record<string, unknown>)[name]
  const shown = typeof value === "string" || typeof value === "number" ? `\`${value}\`` : ""
  return [`\`${name}\``, shown, schema.description ?? ""]
}

const loadedDefaults = Env.parse({})

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`
  return [line(head), `|${head.map(() => "---|").join("")}`, ...rows.map(line)].join("\n")
}

/** Returns the dependencies of an app that is only described, never called. */
export function describedDeps(): AppDeps {
  return {
    config: loadConfig({}),
    version: "",
    clock: { now: () => 0, monotonic: () => 0, sleep: async () => undefined },
    stopping: new AbortController().signal,
  } as unknown as AppDeps
}

if (import.meta.main) writeFileSync(new URL("../docs/api.md", import.meta.url), apiDocs())
