import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { resolve } from "node:path"
import type { DryApi } from "./dry-apis.ts"

/** Behavior of the model. It creates a file and reports that, or fails like a provider. */
export type Mood = "works" | "unauthorized" | "limited" | "hangs" | DryApi

export interface ScriptedModel extends AsyncDisposable {
  url: string
  mood: Mood
  /** Script of every conversation, or a function from a conversation's text to its script. */
  script: Script | ((told: string) => Script)
  /** End of the model's limit in Unix milliseconds, if the model states it. */
  resetsAt: number | undefined
  /** Refusals that come before all other answers, while `left` is above 0. */
  refusals: { api: DryApi; left: number } | undefined
  /** Conversation in the last request. */
  told: string
  /** First request for work since this field was last emptied. */
  first: string
  /** Paths of the model's server that were fetched, besides its API. */
  fetched: string[]
  /** Resolves once the model was asked this many times. */
  heard(times: number): Promise<void>
}

/**
 * Tool calls that the model requests, answer by answer. After these it reports that it is done. At `limited` it reports
 * that its limit is reached, and at a `DryApi` it refuses.
 */
export type Script = (Move[] | "limited" | DryApi)[]

/** A tool call, whatever the agent's name for the tool is. */
export type Move =
  | { write: string; content?: string }
  | { read: string }
  /** `inCode`: within code that calls a tool, if the program has a tool for code. */
  | { run: string; inCode?: boolean }
  /** A page of the model's own server. */
  | { fetch: string }
  | { tool: string; args: object }

/** A call without a search. In only one dialect do programs hide tools until the model searches for them. */
type NamedCall = Exclude<Call, { search: string }>

type Call = { name: string; args: object; namespace?: string } | { name: string; text: string } | { search: string }

interface Answer {
  text: string
  calls: Call[]
}

export const FILE = "made-by-agent.txt"
export const CONTENT = "made by an agent\n"
const SUMMARY = JSON.stringify({ change_summary: "Made a file.", files_changed: [FILE], completion_status: "success" })

/**
 * Starts a model server on loopback, in the four dialects that agents speak. It follows its script, and then reports
 * that it is done. It refuses requests without the key.
 */
export async function startScriptedModel(
  key: string,
  projectOf: () => string,
  onAsked = async () => {},
): Promise<ScriptedModel> {
  let asked = 0
  const waiting: { times: number; resolve: () => void }[] = []
  const server = createServer((request, response) => {
    handle(request, response).catch((error) => response.destroy(error))
  })
  server.on("upgrade", (_request, socket) => socket.end("HTTP/1.1 426 Upgrade Required\r\ncontent-length: 0\r\n\r\n"))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const model: ScriptedModel = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mood: "works",
    script: [[{ write: FILE }]],
    resetsAt: undefined,
    refusals: undefined,
    told: "",
    first: "",
    fetched: [],
    heard: (times) => new Promise((resolve) => (asked >= times ? resolve() : waiting.push({ times, resolve }))),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    const path = (request.url ?? "").split("?")[0] ?? ""
    const dialect = dialectOf(path)
    if (!dialect) model.fetched.push(path)
    if (!dialect || text === "")
      return json(response, 200, path.endsWith("/models") ? { object: "list", data: [], models: [] } : {})
    await onAsked()
    asked++
    for (const { times, resolve } of waiting) if (asked >= times) resolve()
    if (model.mood === "hangs") return
    if (typeof model.mood === "object") return runDry(response, model.mood)
    if (!`${request.url} ${request.rawHeaders}`.includes(key)) return refuse(response, dialect, "unauthorized")
    if (model.mood !== "works") return refuse(response, dialect, model.mood, model.resetsAt)
    if (model.refusals && model.refusals.left > 0) {
      model.refusals.left--
      return runDry(response, model.refusals.api)
    }
    const body = JSON.parse(text)
    model.told = text
    if (!isAside(toolNames(dialect, body))) model.first ||= text
    const script = typeof model.script === "function" ? model.script(text) : model.script
    const answer = answerTo(dialect, body, { project: projectOf(), url: model.url }, script)
    if (answer === "limited") return refuse(response, dialect, answer, model.resetsAt)
    if ("status" in answer) return runDry(response, answer)
    speak(response, dialect, body, answer, path)
  }
  return model
}

type Dialect = "anthropic" | "responses" | "chat" | "gemini"

function dialectOf(path: string): Dialect | undefined {
  if (path.endsWith("/messages")) return "anthropic"
  if (path.endsWith("/responses")) return "responses"
  if (path.endsWith("/chat/completions")) return "chat"
  return /:(streamGenerateContent|generateContent)$/.test(path) ? "gemini" : undefined
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of four protocols, of which a field or two is read
type Body = any

/** True for a side request, for example for a title. Side requests don't contain the tools for work. */
function isAside(tools: string[]): boolean {
  return tools.length < 3 && !tools.includes("exec")
}

function answerTo(dialect: Dialect, body: Body, around: Around, script: Script): Answer | "limited" | DryApi {
  const tools = toolNames(dialect, body)
  if (isAside(tools)) return { text: sideAnswer(body), calls: [] }
  const answered = resultsSince(dialect, body)
  let before = 0
  for (const moves of script) {
    if (moves === "limited" || "status" in moves) return moves
    if (before >= answered) {
      const calls = moves.map((move) => withKnownFields(body, callOf(tools, around, move)))
      return { text: "I do this now.", calls }
    }
    before += moves.length
  }
  return { text: `Done.\n\n\`\`\`json\n${SUMMARY}\n\`\`\``, calls: [] }
}

function sideAnswer(body: Body): string {
  const schema = /json_schema|responseSchema|responseJsonSchema/.test(JSON.stringify(body))
  return schema
    ? '{"title":"A title","isNewTopic":true,"reasoning":"x","next_speaker":"user","model_choice":"flash"}'
    : "A title"
}

function toolNames(dialect: Dialect, body: Body): string[] {
  if (dialect === "gemini")
    return (body.tools ?? []).flatMap((tool: Body) => (tool.functionDeclarations ?? []).map((f: Body) => f.name))
  const added =
    dialect === "responses" && Array.isArray(body.input) ? body.input.flatMap((item: Body) => item.tools ?? []) : []
  return [...(body.tools ?? []), ...added].flatMap((tool: Body) => {
    const name = tool.name ?? tool.function?.name ?? tool.type
    return tool.type === "namespace" ? tool.tools.map((one: Body) => `${name}/${one.name}`) : [name]
  })
}

/** Returns the number of tool results since a person's last message. */
function resultsSince(dialect: Dialect, body: Body): number {
  const items: Body[] = [...(body.messages ?? body.contents ?? (Array.isArray(body.input) ? body.input : []))].reverse()
  let results = 0
  for (const item of items) {
    const count = {
      anthropic: () =>
        Array.isArray(item.content) ? item.content.filter((block: Body) => block.type === "tool_result").length : 0,
      responses: () => (/_call_output$/.test(item.type ?? "") ? 1 : 0),
      chat: () => (item.role === "tool" ? 1 : 0),
      gemini: () => (item.parts ?? []).filter((part: Body) => part.functionResponse).length,
    }[dialect]()
    if (count > 0) results += count
    else if (item.role === "user") return results
  }
  return results
}

/** Removes the arguments that the call's tool doesn't declare, because Vibe refuses them. */
function withKnownFields(body: Body, call: Call): Call {
  if (!("args" in call)) return call
  const tool = (body.tools ?? []).find((one: Body) => one.function?.name === call.name)
  const declared = tool?.function.parameters
  if (declared?.additionalProperties !== false || !declared.properties) return call
  const args = Object.entries(call.args).filter(([field]) => Object.hasOwn(declared.properties, field))
  return { ...call, args: Object.fromEntries(args) }
}

/** Base folder and base address of moves. */
interface Around {
  project: string
  url: string
}

function callOf(tools: string[], { project, url }: Around, move: Move): Call {
  if ("write" in move) return writeCall(tools, project, move.write, move.content)
  if ("run" in move) return runCall(tools, move.run, move.inCode)
  if ("tool" in move) return ownCall(tools, move)
  if ("fetch" in move) return fetchCall(tools, `${url}${move.fetch}`)
  const path = resolve(project, move.read)
  if (tools.includes("Read")) return { name: "Read", args: { file_path: path } }
  if (tools.includes("read_file")) return { name: "read_file", args: { path, file_path: path, absolute_path: path } }
  if (tools.includes("read")) return { name: "read", args: { filePath: path } }
  return runCall(tools, `cat ${move.read}`)
}

/** Returns a call of one of the session's own tools. Each program names these tools differently. */
function ownCall(tools: string[], { tool, args }: { tool: string; args: object }): Call {
  const name = tools.find((one) => one.includes("switchyard") && one.endsWith(tool))
  const [namespace, plain] = name?.split("/") ?? []
  if (namespace && plain) return { name: plain, namespace, args }
  if (name) return { name, args }
  if (tools.includes(CODE)) return codeCall(`mcp_switchyard.${tool}`, args)
  // Some programs hide the session's tools. Such a program may call them through the tool `tool_call`.
  if (tools.includes("tool_call"))
    return { name: "tool_call", args: { name: `mcp__switchyard__${tool}`, arguments: args } }
  // If there are many tools, the model has to search for them first.
  if (tools.includes("tool_search")) return { search: `${tool} of the session's agents` }
  if (tools.includes("exec")) {
    const call = `tools.mcp__switchyard__${tool}(${JSON.stringify(args)})`
    return { name: "exec", text: `text(JSON.stringify(await ${call}))` }
  }
  return { name: `mcp__switchyard__${tool}`, args }
}

function fetchCall(tools: string[], url: string): Call {
  // Claude Code hides this tool, but accepts calls of it.
  if (tools.includes("Bash")) return { name: "WebFetch", args: { url, prompt: "What is there?" } }
  if (tools.includes("webfetch")) return { name: "webfetch", args: { url, format: "text" } }
  return { name: "web_fetch", args: { url, prompt: `What is at ${url}?` } }
}

/** Mistral Vibe's tool for code that calls other tools. */
const CODE = "run_typescript"

function codeCall(tool: string, args: object): Call {
  return { name: CODE, args: { code: `async function main() { return tools.${tool}(${JSON.stringify(args)}) }` } }
}

function runCall(tools: string[], command: string, isInCode = false): Call {
  const description = "Run a command"
  if (isInCode && tools.includes(CODE)) return codeCall("process.start", { command })
  if (tools.includes("Bash")) return { name: "Bash", args: { command, description } }
  if (tools.includes("run_shell_command")) {
    return { name: "run_shell_command", args: { command, description, is_background: false } }
  }
  if (tools.includes("bash")) return { name: "bash", args: { command, description } }
  if (tools.includes("exec_command")) return { name: "exec_command", args: { cmd: command } }
  if (tools.includes("exec")) {
    return { name: "exec", text: `text(JSON.stringify(await tools.exec_command({ cmd: ${JSON.stringify(command)} })))` }
  }
  return { name: "shell", args: { command: ["sh", "-c", command] } }
}

function writeCall(tools: string[], project: string, file: string, content = CONTENT): Call {
  const path = resolve(project, file)
  const added = content.trimEnd().replace(/^/gm, "+")
  const patch = `*** Begin Patch\n*** Add File: ${file}\n${added}\n*** End Patch\n`
  if (tools.includes("Write")) return { name: "Write", args: { file_path: path, content } }
  if (tools.includes("write_file")) return { name: "write_file", args: { path, file_path: path, content } }
  if (tools.includes("write")) return { name: "write", args: { filePath: path, content } }
  if (tools.includes("apply_patch")) return { name: "apply_patch", text: patch }
  if (tools.includes("exec"))
    return { name: "exec", text: `text(JSON.stringify(await tools.apply_patch(${JSON.stringify(patch)})))` }
  const command = `printf '%s' '${content}' > ${file}`
  if (tools.includes("exec_command")) return { name: "exec_command", args: { cmd: command } }
  return { name: "shell", args: { command: ["sh", "-c", command] } }
}

function runDry(response: ServerResponse, { status, headers, body }: DryApi): void {
  const answer = body(Date.now())
  const isText = typeof answer === "string"
  response.writeHead(status, { "content-type": "application/json", ...headers(Date.now()) })
  response.end(isText ? answer : JSON.stringify(answer))
}

function refuse(response: ServerResponse, dialect: Dialect, mood: "unauthorized" | "limited", resetsAt?: number): void {
  const limited = mood === "limited"
  if (dialect === "gemini") {
    const error = limited
      ? {
          code: 429,
          message: "You exceeded your current quota.",
          status: "RESOURCE_EXHAUSTED",
          details: [
            {
              "@type": "type.googleapis.com/google.rpc.QuotaFailure",
              violations: [{ quotaId: "GenerateRequestsPerDayPerProjectPerModel-FreeTier" }],
            },
          ],
        }
      : {
          code: 400,
          message: "API key not valid. Please pass a valid API key.",
          status: "INVALID_ARGUMENT",
          details: [
            {
              "@type": "type.googleapis.com/google.rpc.ErrorInfo",
              reason: "API_KEY_INVALID",
              domain: "googleapis.com",
            },
          ],
        }
    json(response, error.code, { error })
    return
  }
  if (dialect === "anthropic") {
    const error = limited
      ? { type: "rate_limit_error", message: "You have reached your specified API usage limits." }
      : { type: "authentication_error", message: "invalid x-api-key" }
    const reset = limited && resetsAt !== undefined && unifiedReset(resetsAt)
    json(response, limited ? 429 : 401, { type: "error", error }, { "x-should-retry": "false", ...reset })
    return
  }
  const error = limited
    ? {
        message: "You exceeded your current quota, please check your plan and billing details.",
        type: "insufficient_quota",
        code: "insufficient_quota",
      }
    : { message: "Incorrect API key provided.", type: "invalid_request_error", code: "invalid_api_key" }
  json(response, limited ? 429 : 401, { error })
}

/** Returns the headers that state the end of a subscription's limit. */
function unifiedReset(at: number): Record<string, string> {
  const unified = "anthropic-ratelimit-unified"
  return { [`${unified}-status`]: "rejected", [`${unified}-reset`]: String(Math.ceil(at / 1000)) }
}

function json(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body))
}

let ids = 0
const newId = (kind: string) => `${kind}_${(++ids).toString().padStart(8, "0")}`

function speak(response: ServerResponse, dialect: Dialect, body: Body, answer: Answer, path: string): void {
  const streamed = dialect === "gemini" ? path.includes("stream") : body.stream === true
  const frames = { anthropic: anthropicFrames, responses: responsesFrames, chat: chatFrames, gemini: geminiFrames }[
    dialect
  ](answer, body, streamed)
  if (!streamed) {
    json(response, 200, frames[0]?.data as object)
    return
  }
  response.writeHead(200, { "content-type": "text/event-stream" })
  for (const { event, data } of frames) {
    response.write(
      `${event ? `event: ${event}\n` : ""}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`,
    )
  }
  response.end()
}

interface Frame {
  event?: string
  data: object | string
}

const named = (calls: Call[]): NamedCall[] => calls.flatMap((call) => ("search" in call ? [] : [call]))

const argsOf = (call: NamedCall) => ("args" in call ? call.args : { input: call.text })

function anthropicFrames({ text, calls }: Answer, body: Body, streamed: boolean): Frame[] {
  const usage = { input_tokens: 100, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 10 }
  const content = [
    { type: "text", text },
    ...named(calls).map((call) => ({ type: "tool_use", id: newId("toolu"), name: call.name, input: argsOf(call) })),
  ]
  const stop_reason = calls.length > 0 ? "tool_use" : "end_turn"
  const message = {
    id: newId("msg"),
    type: "message",
    role: "assistant",
    model: body.model,
    stop_sequence: null,
    usage,
  }
  if (!streamed) return [{ data: { ...message, content, stop_reason } }]
  const event = (type: string, data: object): Frame => ({ event: type, data: { type, ...data } })
  return [
    event("message_start", { message: { ...message, content: [], stop_reason: null } }),
    ...content.flatMap((block, index) => [
      event("content_block_start", {
        index,
        content_block: "input" in block ? { ...block, input: {} } : { type: "text", text: "" },
      }),
      event("content_block_delta", {
        index,
        delta:
          "input" in block
            ? { type: "input_json_delta", partial_json: JSON.stringify(block.input) }
            : { type: "text_delta", text },
      }),
      event("content_block_stop", { index }),
    ]),
    event("message_delta", { delta: { stop_reason, stop_sequence: null }, usage }),
    event("message_stop", {}),
  ]
}

function responsesFrames({ text, calls }: Answer, body: Body): Frame[] {
  const spoken = {
    type: "message",
    id: newId("msg"),
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text, annotations: [] }],
  }
  const called = calls.map((call) =>
    "search" in call
      ? {
          type: "tool_search_call",
          id: newId("tsc"),
          call_id: newId("call"),
          execution: "client",
          arguments: { query: call.search, limit: 20 },
          status: "completed",
        }
      : "text" in call
        ? {
            type: "custom_tool_call",
            id: newId("ctc"),
            call_id: newId("call"),
            name: call.name,
            input: call.text,
            status: "completed",
          }
        : {
            type: "function_call",
            id: newId("fc"),
            call_id: newId("call"),
            name: call.name,
            ...(call.namespace && { namespace: call.namespace }),
            arguments: JSON.stringify(call.args),
            status: "completed",
          },
  )
  const output = [spoken, ...called]
  const usage = {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 10,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 110,
  }
  const response = { id: newId("resp"), object: "response", created_at: 0, model: body.model, output: [] }
  const event = (type: string, data: object): Frame => ({ event: type, data: { type, ...data } })
  return [
    event("response.created", { response: { ...response, status: "in_progress" } }),
    ...output.flatMap((item, output_index) => [
      event("response.output_item.added", {
        output_index,
        item: { ...item, status: "in_progress", ...("content" in item && { content: [] }) },
      }),
      ...("content" in item
        ? [event("response.output_text.delta", { item_id: item.id, output_index, content_index: 0, delta: text })]
        : []),
      event("response.output_item.done", { output_index, item }),
    ]),
    event("response.completed", { response: { ...response, output, status: "completed", usage } }),
  ]
}

function chatFrames({ text, calls }: Answer, body: Body, streamed: boolean): Frame[] {
  const base = { id: newId("chatcmpl"), object: "chat.completion.chunk", created: 0, model: body.model }
  const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 }
  const called = named(calls).map((call, index) => ({
    index,
    id: newId("call"),
    type: "function",
    function: { name: call.name, arguments: JSON.stringify(argsOf(call)) },
  }))
  const tool_calls = called.length > 0 ? called : undefined
  const finish_reason = tool_calls ? "tool_calls" : "stop"
  if (!streamed)
    return [
      {
        data: {
          ...base,
          object: "chat.completion",
          choices: [{ index: 0, message: { role: "assistant", content: text, tool_calls }, finish_reason }],
          usage,
        },
      },
    ]
  const chunk = (delta: object, finish: string | null = null): Frame => ({
    data: { ...base, choices: [{ index: 0, delta, finish_reason: finish }] },
  })
  return [
    chunk({ role: "assistant", content: text }),
    ...(tool_calls ? [chunk({ tool_calls })] : []),
    chunk({}, finish_reason),
    { data: { ...base, choices: [], usage } },
    { data: "[DONE]" },
  ]
}

function geminiFrames({ text, calls }: Answer): Frame[] {
  const parts = [
    { text },
    ...named(calls).map((call) => ({ functionCall: { id: newId("call"), name: call.name, args: argsOf(call) } })),
  ]
  const usageMetadata = { promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 }
  return [
    {
      data: {
        candidates: [{ content: { role: "model", parts }, index: 0, finishReason: "STOP" }],
        usageMetadata,
        responseId: newId("resp"),
      },
    },
  ]
}
