import { createAnthropicProvider } from "@switchyard/core/models/anthropic"
import { createGroqProvider } from "@switchyard/core/models/groq"
import { createOpenAiProvider } from "@switchyard/core/models/openai"
import type { ModelProvider } from "@switchyard/core/models/provider"
import type { ProviderOptions } from "@switchyard/core/models/sdk-options"
import { setSessionBudget } from "@switchyard/core/people/budget/rules"
import { workBudgetStatus } from "@switchyard/core/people/budget/work-status"
import { createSearchWeb, type SearchWeb } from "@switchyard/core/work/pages/search-web"
import { sayToTeam } from "@switchyard/core/work/teams/team-rules"
import { afterEach, describe, expect, it } from "vitest"
import type { Turn } from "../../../fixtures/model-server/script.ts"
import { type ModelServer, startModelServer } from "../../../fixtures/model-server/server.ts"
import { openTeamBench, type TeamBench } from "./team-bench.ts"

type Block = Record<string, unknown>

const TEA = { type: "web_search_result", url: "https://tea.example/", title: "Tea", page_age: null }
const RESULT = { ...TEA, encrypted_content: "EqgfCioIARgBIiQ3YTAwMjY1Mi1mZjM5LTQ1NGUtODgxNC1kNjNjNTk1ZWI3Y" }
const SEARCHED: Block[] = [
  { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "tea ü" } },
  {
    type: "web_search_tool_result",
    tool_use_id: "srvtoolu_1",
    content: [RESULT, { ...RESULT, url: "https://b.example/" }],
  },
]
const CITATION = {
  type: "web_search_result_location",
  url: TEA.url,
  title: "Tea",
  encrypted_index: "Eo8",
  cited_text: "Hot",
}
const CITED: Block[] = [{ type: "text", text: "It is hot.", citations: [CITATION] }]

const calling = (name: string, args: object): Block[] => [{ type: "tool_use", id: `toolu_${name}`, name, input: args }]

let bench: TeamBench
let server: ModelServer
afterEach(async () => {
  await Promise.all([bench.close(), server.close()])
})

const found: SearchWeb = async () => ({ service: "brave", pages: [] })

/** Runs a team in one process until it waits. Its coordinator's model answers with `turns`. */
async function work(
  create: (options: ProviderOptions) => ModelProvider,
  turns: Turn[],
  options: Partial<ProviderOptions> = {},
) {
  server = await startModelServer(turns)
  bench = await openTeamBench()
  await bench.start("What is tea?")
  await bench.drive(create({ apiKey: "sk-test", baseUrl: server.url, ...options }), { searchWeb: found })
}

const nameOf = ({ name, type, function: named }: { name?: string; type?: string; function?: { name: string } }) =>
  name ?? named?.name ?? type
const toolNames = (at: number) => server.requests[at]?.body.tools.map(nameOf) as string[]
const bytes = (value: unknown) => JSON.stringify(value)

describe("a team's search of the web", () => {
  it("is Anthropic's own, whose blocks go back byte for byte, also after a pause and from another process", async () => {
    const first = [...SEARCHED, ...CITED, ...calling("memory_write", { path: "tea.md", content: "hot" })]
    const turns: Turn[] = [
      { blocks: SEARCHED, ends: "pause_turn" },
      { blocks: first.slice(2), ends: "tool_use" },
      { blocks: [{ type: "text", text: "I wait." }] },
      { blocks: [{ type: "text", text: "I still wait." }] },
    ]
    await work(createAnthropicProvider, turns, { webSearch: { maxUses: 7 } })
    // The blocks are sent first to continue the answer, and later as part of the conversation.
    expect(bytes(server.requests[1]?.body.messages.at(-1))).toBe(bytes({ role: "assistant", content: SEARCHED }))
    for (const { body } of server.requests.slice(2)) {
      expect(bytes(body.messages[1])).toBe(bytes({ role: "assistant", content: first }))
      expect(body.messages[2].content[0]).toMatchObject({ type: "tool_result", tool_use_id: "toolu_memory_write" })
    }
    const native = { type: "web_search_20250305", name: "web_search", max_uses: 7 }
    expect(server.requests[0]?.body.tools).toContainEqual(native)
    expect(toolNames(0).filter((name) => name === "web_search")).toHaveLength(1)

    const another = await startModelServer([{ blocks: calling("finish", { summary: "Known." }), ends: "tool_use" }])
    await bench.change(sayToTeam({ to: "coordinator", content: "Finish.", messageId: "msg_1" }))
    await bench.drive(createAnthropicProvider({ apiKey: "sk-test", baseUrl: another.url }))
    await another.close()
    expect(bytes(another.requests[0]?.body.messages[1])).toBe(bytes({ role: "assistant", content: first }))
    expect((await bench.eventsOf("team_finished")).length).toBe(1)
  })

  it("shows what was searched for and what the answer cites", async () => {
    const turns: Turn[] = [
      { blocks: [...SEARCHED, ...CITED] },
      { blocks: calling("finish", { summary: "Hot." }), ends: "tool_use" },
    ]
    await work(createAnthropicProvider, turns)
    expect(await bench.eventsOf("tool_call_started")).toMatchObject([
      { name: "web_search", args: '{"query":"tea ü"}' },
      { name: "finish" },
    ])
    const [{ llm_summary } = { llm_summary: "" }] = await bench.eventsOf("tool_call_finished")
    expect(llm_summary).toBe("Cited: Tea https://tea.example/\nTea https://b.example/")
    const [first, second] = await bench.eventsOf("model_usage")
    expect([first?.searches, second?.searches]).toEqual([1, undefined])
  })

  it("counts for the team's budget by its fee, also where a service makes it", async () => {
    const search = { toolCalls: [{ name: "web_search", args: { query: "tea" } }] }
    server = await startModelServer([search, { toolCalls: [{ name: "finish", args: { summary: "Hot." } }] }])
    bench = await openTeamBench()
    await bench.decide(setSessionBudget({ usd: 0.004 }, { mayLoosen: true }))
    await bench.start("What is tea?")
    const local = createOpenAiProvider({ apiKey: "none", baseUrl: `${server.url}/v1`, name: "local" })
    await bench.drive(local, { searchWeb: found })
    // The fee of one search, half a cent, exceeds the budget, so no further request reaches the model.
    expect(server.requests).toHaveLength(1)
    const state = await bench.state()
    expect(state.questions.waiting).toMatchObject([{ budget: "session" }])
    expect(workBudgetStatus(state).used).toMatchObject({ usd: 0.005 })
  })

  it("is OpenAI's own by its Responses, whose items go back byte for byte", async () => {
    const items: Block[] = [
      { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAAAABo" },
      {
        ...{ type: "web_search_call", id: "ws_1", status: "completed" },
        action: { type: "search", query: "tea", sources: [{ type: "url", url: TEA.url }] },
      },
      {
        ...{ type: "message", id: "msg_1", role: "assistant", status: "completed" },
        content: [
          {
            ...{ type: "output_text", text: "It is hot." },
            annotations: [
              { type: "url_citation", url: `${TEA.url}?utm_source=openai`, title: "Tea", start_index: 0, end_index: 2 },
            ],
          },
        ],
      },
      {
        type: "function_call",
        id: "fc_1",
        call_id: "call_1",
        name: "check_board",
        arguments: "{}",
        status: "completed",
      },
    ]
    const finish = {
      type: "function_call",
      id: "fc_2",
      call_id: "call_2",
      name: "finish",
      arguments: '{"summary":"Hot."}',
    }
    const atServer: typeof fetch = (url, init) => fetch(String(url).replace("https://api.openai.com", server.url), init)
    server = await startModelServer([{ blocks: items }, { blocks: [finish] }])
    bench = await openTeamBench()
    await bench.start("What is tea?")
    const provider = createOpenAiProvider({ apiKey: "sk-test", baseUrl: "https://api.openai.com/v1", fetch: atServer })
    const gpt5 = { name: "openai", searchesWeb: () => provider.searchesWeb?.("gpt-5") ?? false }
    await bench.drive({ ...gpt5, stream: (request, on) => provider.stream({ ...request, model: "gpt-5" }, on) })
    const [first, second] = server.requests
    expect(first).toMatchObject({ path: "/v1/responses", body: { store: false, max_tool_calls: 5, model: "gpt-5" } })
    expect(first?.body.include).toContain("reasoning.encrypted_content")
    expect(toolNames(0).filter((name) => name === "web_search")).toHaveLength(1)
    expect(bytes(second?.body.input.slice(1, 5))).toBe(bytes(items))
    expect(second?.body.input[5]).toMatchObject({ type: "function_call_output", call_id: "call_1" })
    const [{ llm_summary } = { llm_summary: "" }] = await bench.eventsOf("tool_call_finished")
    expect(llm_summary).toBe(`Cited: Tea ${TEA.url}?utm_source=openai`)
    expect(await bench.eventsOf("model_usage")).toMatchObject([
      { usage: { input: 20, cache_read: 10, output: 5 }, searches: 1 },
      {},
    ])
    expect((await bench.eventsOf("team_finished")).length).toBe(1)
  })

  it("is made by Groq's compound model for those of Groq's that can't", async () => {
    const results = { results: [{ title: "Tea", url: TEA.url, content: "Tea is hot.", score: 0.9 }] }
    const message = {
      role: "assistant",
      content: "Hot.",
      executed_tools: [{ index: 0, type: "search", arguments: "{}", search_results: results }],
    }
    const turns: Turn[] = [
      { toolCalls: [{ name: "web_search", args: { query: "tea" } }] },
      {
        body: {
          choices: [{ index: 0, message, finish_reason: "stop" }],
          usage: { prompt_tokens: 9, completion_tokens: 2 },
        },
      },
      { toolCalls: [{ name: "web_search", args: { query: "coffee" } }] },
      { fail: { kind: "rate_limit" } },
      { toolCalls: [{ name: "finish", args: { summary: "Hot." } }] },
    ]
    await work(createGroqProvider, turns)
    const compound = { tools: { enabled_tools: ["web_search"] } }
    expect(server.requests[1]?.body).toMatchObject({ model: "groq/compound-mini", compound_custom: compound })
    expect(server.requests[2]?.body.messages.at(-1).content).toBe(`Hot.\n\n1. Tea\n${TEA.url}\nTea is hot.`)
    expect(server.requests[4]?.body.messages.at(-1).content).toMatch(/^ERROR: Web search is currently unavailable: /)
    expect(await bench.eventsOf("model_usage")).toContainEqual(
      expect.objectContaining({ model: "groq/groq/compound-mini" }),
    )
    expect((await bench.eventsOf("team_finished")).length).toBe(1)
  })

  it("is made by a service that there is a key for, where the provider has none, and is no tool without", async () => {
    const asked: unknown[] = []
    const answers = [
      { web: { results: [{ title: "Tea", url: TEA.url, description: "Tea is hot." }] } },
      { organic: [{ title: "Tea", link: TEA.url, snippet: "Tea is hot." }] },
    ]
    for (const keys of [{ brave: "key-1" }, { serper: "key-2" }]) {
      const searchWeb = createSearchWeb(keys, async ({ signal: _, ...request }) => {
        asked.push(request)
        return { status: 200, headers: {}, body: bytes(answers[asked.length - 1]) }
      })
      const found = await searchWeb?.("tea & milk", { signal: new AbortController().signal })
      const [service] = Object.keys(keys)
      expect(found).toEqual({ service, pages: [{ title: "Tea", url: TEA.url, text: "Tea is hot." }] })
    }
    expect(asked).toMatchObject([
      {
        url: expect.stringContaining("api.search.brave.com/res/v1/web/search?q=tea+%26+milk&count=5"),
        headers: { "x-subscription-token": "key-1" },
      },
      { method: "POST", body: '{"q":"tea & milk","num":5}', headers: { "x-api-key": "key-2" } },
    ])
    server = await startModelServer(() => ({ toolCalls: [{ name: "finish", args: { summary: "Nothing." } }] }))
    bench = await openTeamBench()
    await bench.start("What is tea?", 4, "infinite")
    const local = createOpenAiProvider({ apiKey: "none", baseUrl: `${server.url}/v1`, name: "local" })
    for (const [at, searchWeb] of [undefined, found].entries()) {
      await bench.change(sayToTeam({ to: "coordinator", content: "Again.", messageId: `msg_${at}` }))
      await bench.drive(local, { searchWeb })
      expect(toolNames(at).includes("web_search")).toBe(searchWeb !== undefined)
    }
  })
})
