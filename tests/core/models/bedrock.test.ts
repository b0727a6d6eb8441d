import type { AwsAccess, AwsCredentials } from "@switchyard/core/models/aws-access"
import { createBedrockProvider } from "@switchyard/core/models/bedrock"
import { complete, type Message, type ModelRequest } from "@switchyard/core/models/provider"
import type { ProviderOptions } from "@switchyard/core/models/sdk-options"
import { describe, expect, it } from "vitest"
import * as z from "zod"
import { modelProviderContract, toolConversation } from "../../contracts/model-provider.ts"
import { bedrockException, EVENT_STREAM, KNOWN_SECRET } from "../../fixtures/model-server/bedrock-wire.ts"
import type { Turn } from "../../fixtures/model-server/script.ts"
import { frameBytes } from "../../fixtures/model-server/server.ts"
import { ask } from "./asking.ts"

const claude = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
const nova = "amazon.nova-pro-v1:0"
const llama = "meta.llama3-3-70b-instruct-v1:0"

const credentialsWith = (secretAccessKey: string): AwsCredentials => {
  return { accessKeyId: "AKIDTEST", secretAccessKey, sessionToken: "session/token" }
}

modelProviderContract("bedrock", {
  protocol: "bedrock",
  model: claude,
  create: (options) => createBedrockProvider({ ...options, aws: signingWith(options.apiKey) }),
  baseUrl: (server) => server,
})

function signingWith(secret: string): AwsAccess {
  return { region: "us-east-1", credentials: async () => credentialsWith(secret) }
}

describe("Bedrock's own ways", () => {
  const output = { name: "plan", schema: z.object({ name: z.string() }) }
  const tools = [{ name: "look", description: "Looks.", parameters: z.object({}) }]
  const point = { cachePoint: { type: "default" } }
  const create = (options: ProviderOptions) => createBedrockProvider({ ...options, aws: signingWith(KNOWN_SECRET) })
  const askBedrock = (turn: Turn, request: Partial<ModelRequest> = {}) =>
    ask(create, "", turn, { model: claude, ...request })
  const refused = async (turn: Turn, request: Partial<ModelRequest> = {}) => {
    const error = await askBedrock(turn, request).catch((error) => error)
    return { type: error.errorType, retryable: error.retryable, message: error.message }
  }

  it("names an inference profile by its ARN", async () => {
    const arn = "arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/a1b2"
    const { sent, path } = await askBedrock({ text: ["ok"] }, { model: arn })
    expect(sent.model).toBe(arn)
    expect(path).toContain("%3Aapplication-inference-profile%2Fa1b2/converse-stream")
  })

  it("joins the results of one turn and what follows, and marks failures", async () => {
    const messages: Message[] = [
      ...toolConversation,
      { role: "user", content: " " },
      { role: "user", content: "Go on" },
    ]
    const { sent } = await askBedrock({ text: ["ok"] }, { messages })
    expect(sent.messages).toEqual([
      { role: "user", content: [{ text: "Go" }] },
      {
        role: "assistant",
        content: [
          { toolUse: { toolUseId: "c1", name: "write_file", input: { path: "a" } } },
          { toolUse: { toolUseId: "c2", name: "write_file", input: {} } },
        ],
      },
      {
        role: "user",
        content: [
          { toolResult: { toolUseId: "c1", content: [{ text: "written" }] } },
          { toolResult: { toolUseId: "c2", content: [{ text: "not JSON" }], status: "error" } },
          { text: "Go on" },
        ],
      },
    ])
    // Converse rejects a conversation with tool calls if the request defines no tools.
    expect(sent.toolConfig.tools).toMatchObject([{ toolSpec: { name: "write_file" } }])
  })

  it("sends IDs of calls of other providers in the form that Bedrock accepts", async () => {
    const call = { id: "functions.look:0", name: "look", args: {}, rawArguments: "{}" }
    const messages: Message[] = [
      { role: "user", content: "Go" },
      { role: "assistant", content: "", toolCalls: [call], raw: [{ type: "tool_use" }] },
      { role: "tool", toolCallId: call.id, content: "" },
    ]
    const { sent } = await askBedrock({ text: ["ok"] }, { messages, tools })
    expect(sent.messages[1].content).toEqual([{ toolUse: { toolUseId: "functions_look_0", name: "look", input: {} } }])
    expect(sent.messages[2].content[0].toolResult).toEqual({
      toolUseId: "functions_look_0",
      content: [{ text: "(empty)" }],
    })
  })

  it("sends signed and encrypted thinking back to its own model only", async () => {
    const redactedContent = Buffer.from("secret").toString("base64")
    const { answer } = await askBedrock({
      thinking: "Let me see.",
      deltas: [[{ reasoningContent: { redactedContent } }], [{ reasoningContent: { text: "unsigned" } }]],
      toolCalls: [{ name: "look", args: {}, id: "c1" }],
    })
    const call = { toolUse: { toolUseId: "c1", name: "look", input: {} } }
    const thoughts = [
      { reasoningContent: { reasoningText: { text: "Let me see.", signature: "c2lnbmVk" } } },
      { reasoningContent: { redactedContent } },
    ]
    const raw = JSON.parse(JSON.stringify(answer.raw))
    const messages: Message[] = [
      { role: "user", content: "Go" },
      { role: "assistant", content: "", toolCalls: answer.toolCalls, raw },
      { role: "tool", toolCallId: "c1", content: "a" },
    ]
    const same = await askBedrock({ text: ["ok"] }, { messages, tools })
    expect(same.sent.messages[1].content).toEqual([...thoughts, call])
    const other = await askBedrock({ text: ["ok"] }, { messages, tools, model: nova })
    expect(other.sent.messages[1].content).toEqual([call])
  })

  it("marks the system prompt, the shared prefix and the end of a conversation for the cache", async () => {
    const messages: Message[] = [
      { role: "user", content: "Do it", prefix: ["A", "B"] },
      { role: "assistant", content: "Yes" },
      { role: "user", content: "More" },
    ]
    const { sent } = await askBedrock({ text: ["ok"] }, { messages, tools, system: "S" })
    expect(sent.system).toEqual([{ text: "S" }, point])
    expect(sent.messages[0].content).toEqual([{ text: "A\n\n" }, { text: "B\n\n" }, point, { text: "Do it" }])
    expect(sent.messages[2].content).toEqual([{ text: "More" }, point])
    const once = await askBedrock({ text: ["ok"] }, { messages, system: "S" })
    expect(JSON.stringify(once.sent)).not.toContain("cachePoint")
  })

  it("marks what the request names, four at most, and only for models that take it", async () => {
    const messages: Message[] = Array.from({ length: 5 }, (_, at) => ({
      role: at % 2 === 0 ? "user" : "assistant",
      content: `m${at}`,
    }))
    const request = { messages, system: "S", cacheAfter: [-1, 0, 1, 2, 3] }
    const points = async (model: string) => {
      const { sent } = await askBedrock({ text: ["ok"] }, { ...request, model })
      return JSON.stringify(sent).split("cachePoint").length - 1
    }
    const { sent } = await askBedrock({ text: ["ok"] }, request)
    expect(sent.messages.map(({ content }: { content: object[] }) => content.at(-1))).toEqual([
      ...[point, point, point],
      ...[{ text: "m3" }, { text: "m4" }],
    ])
    const models = [claude, nova, "anthropic.claude-3-7-sonnet-20250219-v1:0", llama]
    expect(await Promise.all(models.map(points))).toEqual([4, 4, 4, 0])
    expect(await points("anthropic.claude-3-5-sonnet-20241022-v2:0")).toBe(0)
    expect(await points("arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/a1b2")).toBe(0)
  })

  it("makes a tool of a schema, or words if the model takes no tool choice", async () => {
    const json = { name: "x" }
    // Several versions of Claude reject an output schema.
    for (const model of [claude, "us.anthropic.claude-opus-5", nova]) {
      const { sent, answer } = await askBedrock({ json }, { output, model })
      expect(sent.toolConfig).toMatchObject({ toolChoice: { tool: { name: "plan" } } })
      expect(sent.outputConfig).toBeUndefined()
      expect(answer).toMatchObject({ text: JSON.stringify(json), toolCalls: [], stopReason: "end" })
      expect(answer.raw).toBeUndefined()
    }
    const qwen = await askBedrock({ json }, { output, model: "qwen.qwen3-32b-v1:0" })
    const { schema } = qwen.sent.outputConfig.textFormat.structure.jsonSchema
    expect(JSON.parse(schema)).toMatchObject({ additionalProperties: false, required: ["name"] })
    expect(qwen.answer.text).toBe(JSON.stringify(json))
    const inWords = await askBedrock({ json }, { output, model: llama, system: "S" })
    expect(inWords.sent.system[0].text).toContain('"required":["name"]')
    expect(inWords.sent.toolConfig).toBeUndefined()
  })

  it("gives Nova no more of a tool's schema than it knows", async () => {
    const deep = { name: "plan", schema: z.object({ at: z.object({ x: z.number() }) }).describe("A plan.") }
    const schemaFor = async (model: string) =>
      (await askBedrock({ json: {} }, { output: deep, model })).sent.toolConfig.tools[0].toolSpec.inputSchema.json
    expect(Object.keys(await schemaFor(nova)).sort()).toEqual(["properties", "required", "type"])
    expect(await schemaFor(claude)).toMatchObject({ additionalProperties: false, description: "A plan." })
  })

  it("asks for a tool only of models that take a tool choice", async () => {
    const choice = async (model: string, toolChoice: ModelRequest["toolChoice"]) =>
      (await askBedrock({ text: ["ok"] }, { model, tools, toolChoice })).sent.toolConfig.toolChoice
    expect(await choice(claude, "required")).toEqual({ any: {} })
    expect(await choice(nova, { tool: "look" })).toEqual({ tool: { name: "look" } })
    expect(await choice(llama, "required")).toBeUndefined()
  })

  it("limits a Claude model's output, because its whole limit counts against the quota", async () => {
    const limit = async (model: string) => (await askBedrock({ text: ["ok"] }, { model })).sent.inferenceConfig
    expect(await limit(claude)).toEqual({ maxTokens: 32_000 })
    expect(await limit("anthropic.claude-3-haiku-20240307-v1:0")).toEqual({ maxTokens: 4096 })
    expect(await limit(nova)).toBeUndefined()
  })

  it("counts what was written to the cache", async () => {
    const { answer } = await askBedrock({ text: ["ok"], usage: { input: 3, output: 4, cacheRead: 5, cacheWrite: 6 } })
    expect(answer.usage).toEqual({ input: 3, output: 4, cacheRead: 5, cacheWrite: 6 })
  })

  it("explains why a guardrail stopped an answer", async () => {
    const { answer } = await askBedrock({ text: ["No."], ends: "guardrail_intervened" })
    expect(answer).toMatchObject({ stopReason: "refusal", reason: expect.stringContaining("guardrail") })
  })

  it("says what an unreadable answer used, if that was reported", async () => {
    const unreadable = (turn: Turn) => askBedrock({ text: ["x"], ends: "malformed_tool_use", ...turn })
    const error = await unreadable({ usage: { input: 3, output: 4 } }).catch((error) => error)
    expect(error).toMatchObject({ retryable: true, usage: { input: 3, output: 4, cacheRead: null } })
    await expect(unreadable({ usage: null })).rejects.toMatchObject({ retryable: true, usage: undefined })
  })

  it.each<[string, string, boolean]>([
    ["throttlingException", "rate_limit", true],
    ["modelStreamErrorException", "connection_error", true],
    ["internalServerException", "connection_error", true],
    ["validationException", "invalid_request", false],
  ])("fails with %s within a stream", async (exception, type, retryable) => {
    const failure = await refused({
      text: ["half"],
      send(response, frames) {
        response.writeHead(200, { "content-type": EVENT_STREAM })
        response.end(frameBytes("bedrock", [...frames.slice(0, 2), bedrockException(exception, "It failed.")]))
      },
    })
    expect(failure).toEqual({ type, retryable, message: "bedrock reported an error: It failed." })
  })

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ["a changed byte", (bytes) => bytes.fill(bytes.readUInt8(200) ^ 1, 200, 201)],
    ["no stream", () => Buffer.from("data: hello\n\n")],
  ])("fails with %s", async (_, damage) => {
    const failure = await refused({
      text: ["Hello"],
      send(response, frames) {
        response.writeHead(200, { "content-type": EVENT_STREAM })
        response.end(damage(frameBytes("bedrock", frames)))
      },
    })
    expect(failure).toEqual({ type: "connection_error", retryable: true, message: "bedrock sent an invalid response." })
  })

  it.each<[number, string, string, string, string]>([
    [
      403,
      "AccessDeniedException",
      "You don't have access to the model with the specified model ID.",
      "auth_error",
      "model catalog",
    ],
    [
      404,
      "ResourceNotFoundException",
      "Model use case details have not been submitted for this account.",
      "auth_error",
      "model catalog",
    ],
    [
      400,
      "ValidationException",
      "Invocation of model ID m with on-demand throughput isn’t supported.",
      "invalid_request",
      "inference profile",
    ],
    [
      403,
      "UnrecognizedClientException",
      "The security token included in the request is invalid.",
      "auth_error",
      "AWS credentials",
    ],
    [
      403,
      "ExpiredTokenException",
      "The security token included in the request is expired",
      "auth_error",
      "aws sso login",
    ],
    [
      403,
      "InvalidSignatureException",
      "Signature expired: 20260101T000000Z is now earlier than",
      "auth_error",
      "clock",
    ],
    [
      403,
      "AccessDeniedException",
      "User: u is not authorized to perform: bedrock:InvokeModel on resource: r",
      "auth_error",
      "BEDROCK_MODELS",
    ],
  ])("says what to do about %i %s: %s", async (status, exception, message, type, advice) => {
    const failure = await refused({
      send(response) {
        response.writeHead(status, { "content-type": "application/json", "x-amzn-errortype": exception })
        // IAM writes the field's name with a capital letter.
        response.end(JSON.stringify({ [message.startsWith("User:") ? "Message" : "message"]: message }))
      },
    })
    expect(failure).toMatchObject({ type, retryable: false })
    expect(failure.message).toContain(message)
    expect(failure.message).toContain(advice)
  })

  it("loads credentials again if they have expired", async () => {
    const asked: (boolean | undefined)[] = []
    const credentials: AwsAccess["credentials"] = async (options) => {
      asked.push(options?.forceRefresh)
      return { ...credentialsWith(KNOWN_SECRET), sessionToken: options?.forceRefresh ? "new" : "old" }
    }
    const turn: Turn = { text: ["ok"] }
    const send: typeof fetch = async (url, init) => {
      const isOld = new Headers(init?.headers).get("x-amz-security-token") === "old"
      const headers = { "content-type": "application/json", "x-amzn-errortype": "ExpiredTokenException" }
      return isOld ? Response.json({ message: "expired" }, { status: 403, headers }) : fetch(url, init)
    }
    const renewing = (options: ProviderOptions) =>
      createBedrockProvider({ ...options, fetch: send, aws: { region: "us-east-1", credentials } })
    expect((await ask(renewing, "", turn, { model: claude })).answer.text).toBe("ok")
    expect(asked).toEqual([undefined, true])
  })

  it("says how to log in if there are no credentials", async () => {
    const credentials = async () => Promise.reject(new Error("Could not load credentials from any providers."))
    const none = (options: ProviderOptions) =>
      createBedrockProvider({ ...options, aws: { region: "us-east-1", credentials } })
    const error = await ask(none, "", {}, { model: claude }).catch((error) => error)
    expect(error).toMatchObject({ errorType: "auth_error", retryable: false })
    expect(error.message).toContain("Could not load credentials from any providers. Give this server a role")
    expect(error.message).toContain("or log in on this machine")
  })

  it.each([undefined, true])("ends at once if it is aborted while credentials load (again: %s)", async (hangs) => {
    const controller = new AbortController()
    const reason = new Error("enough")
    const credentials: AwsAccess["credentials"] = async (options) => {
      if (options?.forceRefresh !== hangs) return credentialsWith(KNOWN_SECRET)
      queueMicrotask(() => controller.abort(reason))
      return new Promise(() => {})
    }
    const expired: typeof fetch = async () =>
      Response.json({}, { status: 403, headers: { "x-amzn-errortype": "ExpiredTokenException" } })
    const aws = { region: "us-east-1", credentials }
    const provider = createBedrockProvider({ apiKey: "", baseUrl: "http://127.0.0.1:1", fetch: expired, aws })
    const request: ModelRequest = { model: claude, system: "", messages: [{ role: "user", content: "Hello" }] }
    await expect(complete(provider, request, { signal: controller.signal })).rejects.toBe(reason)
  })

  it("fails with a response that has no body", async () => {
    const failure = await refused({ send: (response) => void response.writeHead(204).end() })
    expect(failure).toMatchObject({ type: "connection_error", retryable: true })
  })
})
