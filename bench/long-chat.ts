import type { NewEvent } from "@switchyard/core/events"
import type { SessionLog } from "@switchyard/core/kernel/session-log"
import { noResult } from "@switchyard/core/work/chat/history/transcript"
import { CHAT_AGENT } from "@switchyard/core/work/chat/schema"
import { signal } from "./stage.ts"

const CHAT = `sess_1700000000000_${"0".repeat(6)}`

/** Opens a chat in a session and adds this many turns, each a question and its answer. */
export async function fillChat(session: SessionLog, turns: number): Promise<void> {
  await session.decide(() => [{ type: "chat_opened", chat_id: CHAT }], { signal })
  for (let turn = 0; turn < turns; turn++) await session.decide(() => wholeTurn(turn), { signal })
}

/** Returns a turn's events as executors write them, from its request on. */
export function wholeTurn(turn: number, runId = `run_${String(turn).padStart(26, "0")}`): NewEvent[] {
  const run = { run_id: runId, agent_id: CHAT_AGENT }
  const of = { ...run, request_id: `${1_700_000_000_000 + turn}-0123456789`, chat_id: CHAT }
  const usage = {
    input: 9000,
    cache_read: 0,
    cache_write: 0,
    output: 400,
    estimated_input: null,
    estimated_output: null,
  }
  const { response: _1, edit_results: _2, token_usage: _3, cancelled: _4, ...summary } = noResult
  const content = answerOf(turn)
  return [
    {
      ...{ type: "run_created", ...run, kind: "chat", model: "scripted/bench" },
      input: { request_id: of.request_id, words: "Why?" },
    },
    {
      ...{ type: "chat_asked", ...of, content: `Question ${turn}: why is the lease renewed so often?`, files: [] },
      ...{ images: [], urls: [], excluded_urls: [], mode: "edit", workspace_version: 0 },
    },
    {
      ...{ type: "chat_answered", ...of, content, cancelled: false, finish_reason: "end", usage },
      ...{ shown_version: 0, shown_manifest: null, shed_files: [] },
    },
    { type: "chat_turn_settled", ...of, summary, usage, files: [] },
    { type: "run_completed", ...run, duration_ms: 1000, workspace_version: 0 },
  ]
}

/** Returns prose, a list and code, as models answer. */
function answerOf(turn: number): string {
  const code = Array.from({ length: 12 }, (_, at) => `  const lease${at} = await renew(session, { signal })`).join("\n")
  return [
    `A **lease** is a sign of life, and \`renew\` in \`src/lease.ts\` writes it. `.repeat(1 + (turn % 5)),
    "- it is a hint alone\n- the log decides\n- nothing is lost where it is late",
    `\`\`\`ts\nasync function go() {\n${code}\n}\n\`\`\``,
    `That is why. ${lastWordOf(turn)}`,
  ].join("\n\n")
}

/** Returns the word that ends a turn's answer. */
export function lastWordOf(turn: number): string {
  return `word-${turn}-ends.`
}
