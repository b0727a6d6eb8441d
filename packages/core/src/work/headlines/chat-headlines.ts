import type { PayloadRef } from "../../log/event.ts"
import { formatCount } from "../../text/format.ts"
import { debug, firstLine, inlined, row, warning } from "./headline.ts"

/** Headlines for events in a session's chat. */
export const chatHeadlines = {
  chat_opened: () => debug("you", "Conversation opened"),
  chat_files_read: ({ files }: { files: number }) =>
    debug("system", `Read the repository: ${formatCount(files, "file")}`),
  chat_selection_changed: ({ files }: { files: readonly string[] }) =>
    debug("you", `${formatCount(files.length, "file")} selected`),
  chat_asked: ({ content }: { content: string | PayloadRef }) => row("you", inlined(content) ?? "A long message"),
  chat_pages_read: () => debug("system", "Pages read"),
  chat_files_added: () => debug("system", "Edited files added to the context"),
  chat_context_prepared: () => debug("system", "Context prepared"),
  chat_answered: ({ content, cancelled }: { content: string | PayloadRef; cancelled: boolean }) =>
    row("agent", firstLine(inlined(content) ?? "A long answer"), cancelled ? ["stopped"] : []),
  chat_edits_applied: ({ edits }: { edits: readonly { status: string }[] | PayloadRef }) => {
    const results = inlined(edits) ?? []
    const failed = results.filter(({ status }) => status === "failed").length
    const applied = results.filter(({ status }) => status === "applied").length
    const text = `${formatCount(applied, "edit")} applied`
    return failed > 0 ? warning("agent", text, [`${failed} failed`]) : row("agent", text)
  },
  chat_committed: ({ message }: { message: string }) => row("agent", `Committed: ${firstLine(message)}`),
  chat_edits_undone: ({ files }: { files: readonly string[] }) =>
    row("you", `An answer's edits undone in ${formatCount(files.length, "file")}`),
  chat_turn_settled: () => debug("system", "Turn complete"),
  chat_compaction_started: () => debug("system", "Summarizing earlier messages"),
  chat_compacted: ({ tokens_before, tokens_after }: { tokens_before: number; tokens_after: number }) =>
    row("system", "Earlier messages summarized", [`${tokens_before} to ${tokens_after} tokens`]),
  chat_rewound: ({ to_seq, files }: { to_seq: number; files: boolean }) =>
    row("you", files ? "Conversation and files rewound" : "Conversation rewound", [`to event ${to_seq}`]),
  chat_rewind_requested: ({ to_seq }: { to_seq: number }) =>
    debug("you", "Chat rewind requested", [`to event ${to_seq}`]),
  chat_fork_requested: () => row("you", "Forked from another session"),
  chat_files_requested: ({ task }: { task: string }) => debug("you", `Repository files: ${task}`),
  chat_write_started: () => debug("system", "Writing to the repository"),
  chat_write_ended: ({ reason }: { reason: string | null }) => {
    if (reason === null) return debug("system", "Repository files written")
    return warning("system", "Repository files not written", [reason])
  },
  chat_message_copied: () => debug("system", "Message copied from another session"),
  chat_page_added: () => debug("you", "Page added"),
  chat_page_summarized: ({ url }: { url: string }) => debug("agent", "Page summarized", [url]),
  chat_page_forgotten: ({ url }: { url: string }) => debug("you", "Page removed", [url]),
  chat_context_rebuilt: () => debug("you", "Context will be rebuilt with the next message"),
  chat_review_started: ({ summary }: { summary: string }) => row("you", "Review started", [summary]),
  chat_review_ended: () => row("you", "Review ended"),
  chat_system_extra_set: () => row("you", "Chat instructions changed"),
  chat_noted: ({ text }: { text: string }) => row("system", text),
}
