import type { EventType } from "@switchyard/core/events"
import { NODE_NAMES } from "@switchyard/core/work/workflow/nodes"
import {
  anything,
  type Decoder,
  each,
  either,
  type Fields,
  flag,
  isObject,
  list,
  number,
  object,
  oneOf,
  optional,
  orNull,
  record,
  text,
} from "../../api/decode.ts"

/** Reference that replaces a field too large for the log. */
export interface PayloadRef {
  sha256: string
  size_bytes: number
  key: string
}

function large<T>(decoder: Decoder<T>): Decoder<T | PayloadRef> {
  return { parse: (sent) => (isRef(sent) ? sent : decoder.parse(sent)) }
}

const node = oneOf(...NODE_NAMES)
const usage = object(each(orNull(number), "input", "cache_read", "cache_write", "output"))
const change = object({
  op: oneOf("write", "delete", "rename", "make_folder"),
  path: text,
  ...each(optional(text), "from_path", "sha256"),
  ...each(optional(number), "size_bytes", "mode"),
  ...each(optional(flag), "binary", "in_repository"),
})
const plannedFile = object({
  path: text,
  purpose: text,
  action: optional(oneOf("create", "change", "delete", "rename")),
  to: optional(text),
})
const update = object({
  plan: optional(object({ ...each(text, "name", "description", "techstack"), files: list(plannedFile) })),
  task_plan: optional(object({ implementation_steps: list(object({ file_path: text })) })),
  ...each(optional(text), "file_path", "left_as_is", "failed", "not_repaired"),
  changed_files: optional(list(text)),
  changed_tests: optional(list(object({ path: text, reason: text }))),
  review: optional(list(anything)),
  ...each(optional(number), "current_step_idx", "total_steps", "planned_files"),
  status: optional(oneOf("DONE")),
})
const image = object({ path: text, name: optional(text) })
const element = object({
  ...each(text, "tag", "selector", "text", "html", "page"),
  file: optional(text),
  line: optional(number),
  image: optional(number),
})
const agentInput = object({
  ...each(text, "task", "cli"),
  account: orNull(text),
  mode: optional(text),
  messages: optional(list(text)),
})
const program = object({ cli: text, ...each(orNull(text), "account", "model") })
const ended = { duration_ms: number }
const check = {
  name: oneOf("install", "build", "lint", "test", "start"),
  command: text,
  passed: flag,
  blocked: optional(flag),
  exit_code: orNull(number),
  duration_ms: number,
  tests: optional(object({ passed: number, failed: number, skipped: number })),
  set: optional(flag),
  reason: optional(text),
  errors: optional(list(text)),
}
const verdict = object({
  status: oneOf("passed", "failed", "not_run"),
  workspace_version: orNull(number),
  checks: list(object(check)),
  changed_tests: optional(
    list(object({ path: text, reason: orNull(text), kind: oneOf("extended", "changed", "deleted", "settings") })),
  ),
  reason: optional(text),
})
const command = either(object({ command: text, run_hooks: optional(flag) }), object({ question: text }))
const kept = object({
  ref: orNull(text),
  ...each(optional(orNull(text)), "until", "command"),
  inner: list(object({ path: text, ref: text, repository: text })),
  ignored: object({ count: number }),
})
const merged = object({
  status: oneOf("merged", "undone"),
  message: text,
  commit: orNull(text),
  worktree_kept: optional(object({ reason: text })),
  push: optional(object({ remote: text, branch: text })),
  kept: optional(kept),
})
const pushed = object({ remote: text, branch: text, commit: text })
const answer = either(merged, pushed, object({ message: text, kept: optional(kept) }), object({}))
const refusal = object({ code: text, message: text, details: record })

/** A node's visit; absent for agents' events. */
const visit = { node: optional(node), iteration: optional(number) }
/** Worktree that an event is about; absent for `main`. */
const inWorktree = { worktree: optional(text) }

const question = either(
  object({
    kind: oneOf("permission"),
    ...each(text, "tool", "name"),
    paths: optional(list(text)),
    ...each(optional(text), "command", "args", "diff"),
    rule: optional(object({ tool: text, exact: optional(flag), ...each(optional(text), "path", "command", "name") })),
  }),
  object({
    kind: oneOf("choice"),
    questions: list(
      object({
        question: text,
        header: text,
        options: list(object({ label: text, description: text })),
        multi: flag,
      }),
    ),
    budget: optional(object({ scope: oneOf("session", "run"), usd: orNull(number), tokens: orNull(number) })),
  }),
  object({ kind: oneOf("plan"), plan: text }),
  object({ kind: oneOf("text"), text }),
)

/** The fields that the studio reads from each type of event. */
export const fieldsByType = {
  session_opened: { copied_from: optional(object({ session_id: text, name: text, version: number })) },
  session_deleted: {},
  session_renamed: { name: orNull(text) },
  session_pushed: { ...each(text, "url", "branch"), version: number },
  session_pinned: { pinned: flag },
  session_archived: { archived: flag },
  session_viewed: {},
  run_created: {
    ...inWorktree,
    run_id: text,
    kind: text,
    model: text,
    title: optional(text),
    program: optional(program),
    input: large(
      either(
        object({
          user_prompt: text,
          images: optional(list(image)),
          elements: optional(list(element)),
          resumes: optional(list(anything)),
        }),
        agentInput,
        object({ workspace_version: number }),
        object({ words: text }),
        object({ worktrees: list(text), checks: optional(flag) }),
        object({ goal: text, images: optional(list(image)), ...each(optional(anything), "agents", "coordinator") }),
        object({ node_id: text }),
        object({ chat_id: text, url: text }),
        object({ chat_id: text, to_seq: number }),
        object({ chat_id: text, from: object({ session_id: text }) }),
        object({ task: text }),
        object({ account: text, agent: text }),
      ),
    ),
  },
  run_relaunched: { attempt: number, reason: text },
  run_claimed: { generation: number, executor: text },
  run_handed_over: {},
  run_parked: { reason: text, waits_for: optional(object({ run: optional(text), message: optional(flag) })) },
  run_resumed: {},
  run_cancel_requested: {},
  run_completed: { ...ended, warning: optional(text), verdict: optional(verdict) },
  run_failed: { ...ended, error_type: text, message: text, hint: text, verdict: optional(verdict) },
  run_cancelled: ended,
  workspace_committed: {
    version: number,
    changes: large(list(change)),
    restores: optional(object({ version: number, path: optional(text) })),
  },
  node_started: { node, iteration: number, file_path: optional(text) },
  node_finished: { node, iteration: number, duration_ms: number, update: large(update) },
  model_text: { ...visit, text, lengths: list(anything), parent_tool_call_id: optional(text) },
  file_text: { ...visit, path: text, offset: number, text },
  file_edit_text: { ...visit, path: text, base: text, edit: number, at: number, removed: number, offset: number, text },
  model_reasoning: { ...visit, chars: number },
  files_checked: {
    file_count: number,
    fault_count: number,
    faults: list(object({ path: text, line: optional(number), rule: text, message: text })),
  },
  check_requested: { check_run_id: text, workspace_version: number, round: number },
  check_started: { name: text, command: text },
  check_finished: { ...check, output: text },
  build_output_stored: { folder: text },
  page_opened: {
    picture: orNull(object({ sha256: text, width: number, height: number })),
    errors: list(text),
    reason: optional(text),
  },
  verification_set: { settings: object({ verify: orNull(flag) }) },
  verification_planned: { checks: list(object({ name: text, command: text })) },
  review_started: { reviewer: object({ cli: text, account: orNull(text) }) },
  review_finished: { review: object({ passed: orNull(flag), summary: text }) },
  verification_attempt: {
    attempt_number: number,
    passed: flag,
    ...each(text, "commit", "result", "summary"),
    issues: list(text),
  },
  app_published: { name: text, ...each(number, "workspace_version", "file_count") },
  app_withdrawn: { name: text },
  server_preview_requested: { workspace_version: number },
  server_preview_stop_requested: {},
  server_preview_starting: { workspace_version: number, command: text },
  server_preview_ready: { workspace_version: number, page: optional(flag) },
  server_preview_ended: { workspace_version: number, reason: text, failed: flag, output: text },
  files_reviewed: {
    file_count: number,
    finding_count: number,
    findings: list(object({ path: text, message: text })),
    not_reviewed: optional(text),
  },
  model_usage: { node: optional(node), usage },
  answer_rejected: { node: optional(node), path: optional(text), reason: text },
  model_retried: { node: optional(node), error_type: text, attempt: number, wait_ms: number, reason: optional(text) },
  model_replaced: { node: optional(node), ...each(text, "from_model", "to_model", "reason") },
  tool_call_started: {
    ...visit,
    ...each(text, "tool", "tool_call_id"),
    file_bytes: optional(number),
    ...each(optional(text), "name", "path", "sha256", "command", "args", "diff", "parent_tool_call_id"),
  },
  tool_call_finished: {
    node: optional(node),
    tool_call_id: text,
    exit_code: orNull(number),
    duration_ms: number,
    llm_summary: text,
    stdout_ref: optional(object({ path: text })),
  },
  runner_awaited: { attempt: number, phase: text, reason: optional(text) },
  runner_claimed: { generation: number },
  runner_parked: { reason: text },
  agent_created: {
    ...each(text, "agent_id", "name", "cli", "mode", "worktree"),
    ...each(orNull(text), "account", "model"),
    parent: optional(text),
  },
  agent_renamed: { agent_id: text, name: text },
  agent_program_changed: { agent_id: text, cli: text, account: orNull(text), model: orNull(text) },
  agent_draft_changed: {},
  agent_message_queued: { message_id: text, content: large(text), display_as: optional(text), source: text },
  agent_message_delivered: { message_ids: list(text) },
  agent_ask_released: { message_id: text },
  agent_ask_ended: { message_id: text, reason: text, answer: large(text) },
  agent_closed: { agent_id: text, reason: text },
  agent_turn_started: { cli: text, attempt: number },
  agent_turn_finished: { duration_ms: number, outcome: object({ type: text, message: optional(text) }) },
  agent_usage: { usage, cost_usd: orNull(number) },
  agent_quota: { window: text, used_percent: number },
  agent_context: { used_tokens: number },
  provider_switched: {
    ...each(text, "from_provider", "to_provider", "reason"),
    ...each(orNull(text), "from_account", "to_account", "problem"),
  },
  context_condensed: {},
  agent_retried: { problem: text, message: text },
  agent_permitted: { tool: text },
  agent_refused: { tool: text, reason: text },
  agent_mode_changed: { mode: text },
  agent_tool_allowed: { rule: object({ tool: text, name: optional(text), command: optional(text) }) },
  start_files_allowed: { digest: text, files: list(text) },
  question_asked: { question_id: text, question: large(question) },
  question_answered: { question_id: text, answer: object({ choice: text, text: optional(text) }), by: text },
  budget_set: { scope: text, usd: orNull(number), tokens: orNull(number), minutes: orNull(number) },
  question_withdrawn: { question_id: text, reason: text },
  session_rules_set: { rules: list(anything) },
  repository_rules_read: {
    rules: orNull(object({ ...each(list(anything), "deny", "ask", "allow"), read_only: list(text) })),
    fault: optional(text),
  },
  agent_changes_reverted: { files: list(text), file_count: number, reason: text },
  question_kept: { question_id: text },
  agent_todos_changed: { todos: list(object({ text, status: oneOf("pending", "in_progress", "completed") })) },
  agent_notice: { text },
  user_message: { content: large(text), display_as: optional(text), source: text, images: optional(list(text)) },
  assistant_message: {
    blocks: large(list(object({ kind: oneOf("text", "thinking"), content: text }))),
    parent_tool_call_id: optional(text),
  },
  progress: { summary: text, location: optional(text), next_step: optional(text) },
  milestone: { title: text, summary: text },
  chat_opened: {},
  chat_files_read: { files: number },
  chat_selection_changed: { files: list(text) },
  chat_asked: { run_id: text, request_id: text, content: large(text) },
  chat_answered: { content: large(text), cancelled: flag },
  chat_edits_applied: { edits: large(list(object({ status: text }))) },
  chat_committed: { message: text },
  chat_edits_undone: { files: list(text) },
  chat_turn_settled: {},
  chat_pages_read: {},
  chat_files_added: {},
  chat_compaction_started: {},
  chat_compacted: { tokens_before: number, tokens_after: number },
  chat_rewound: { to_seq: number, files: flag },
  chat_rewind_requested: { to_seq: number },
  chat_fork_requested: {},
  chat_files_requested: { task: text },
  chat_write_started: {},
  chat_write_ended: { reason: orNull(text) },
  chat_message_copied: {},
  chat_page_added: {},
  chat_page_summarized: { url: text },
  chat_page_forgotten: { url: text },
  chat_context_rebuilt: {},
  chat_review_started: { summary: text },
  chat_review_ended: {},
  chat_system_extra_set: {},
  chat_noted: { text },
  worktree_command_requested: { ...inWorktree, command_id: text, command: large(command) },
  worktree_command_started: {},
  worktree_command_expired: { ...inWorktree, command_id: text },
  worktree_command_finished: { ...inWorktree, command_id: text, answer: orNull(large(answer)), error: orNull(refusal) },
  worktree_changed: {
    ...inWorktree,
    status: optional(object({ exists: flag, has_changes: flag, branch: optional(orNull(text)) })),
  },
  merge_train_step_finished: {
    ...each(text, "worktree", "status", "message"),
    commit: optional(orNull(text)),
    conflicts: optional(list(text)),
    verdict: optional(orNull(object({ status: text }))),
  },
  bake_off_started: { entrants: list(object({ name: text })) },
  bake_off_pinned: { base_commit: text },
  bake_off_reopened: { reason: text },
  bake_off_settled: { adopted: orNull(text), rows: list(object({ agent_id: text, name: text })) },
  worktree_collisions_changed: { worktrees: list(text), files: list(text), file_count: number },
  worktree_restored: { damage: text, from: text, set_aside: orNull(text) },
  deletions_held: { ...inWorktree, count: number, paths: list(text), file_count: number },
  deletions_settled: { ...inWorktree, confirmed: flag },
  workspace_save_progressed: { ...inWorktree, saved: number, total: number },
  project_saved: {},
  agent_session_opened: {},
  terminal_opened: { pty: text, kind: text, title: text, rows: number, cols: number },
  terminal_closed: { pty: text, exit_code: orNull(number), recording: orNull(text) },
} satisfies Record<Exclude<EventType, UnreadType>, Fields>

/** Types of events that the studio only counts and names. All other types have their fields above. */
type UnreadType =
  | Extract<EventType, `${"team" | "work_node" | "stage" | "trigger" | "shell_command"}_${string}`>
  | InCore<
      | "conversation_extended"
      | "chat_context_prepared"
      | "check_commands_set"
      | "bake_off_chosen"
      | "coordinator_joined"
      | "worker_spawned"
      | "terminal_output"
      | "worktree_prepared"
      | "worktree_script_started"
      | "worktree_script_finished"
      | "pull_request_opened"
    >
type InCore<T extends EventType> = T

export function isRef(sent: unknown): sent is PayloadRef {
  return (
    isObject(sent) &&
    typeof sent.sha256 === "string" &&
    typeof sent.size_bytes === "number" &&
    typeof sent.key === "string"
  )
}
