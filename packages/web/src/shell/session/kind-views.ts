import type { RunKind } from "@switchyard/core/work/runs/kinds"
import { paths } from "../../session/context/routes.ts"
import type { SessionView } from "../../session/stream/view.ts"

interface View {
  name: string
  href(sessionId: string): string
  /** The beginning of the view's path, after the session's. */
  address: string
}

const files: View = { name: "Files", href: paths.files, address: "files" }
const chat: View = { name: "Chat", href: paths.chat, address: "chat" }
const preview: View = { name: "Preview", href: paths.preview, address: "preview" }

const workflowViews: [View, ...View[]] = [
  { name: "Run", href: paths.run, address: "run" },
  chat,
  files,
  preview,
  { name: "Prompts", href: paths.prompts, address: "prompts" },
]

/** The views of a session, by the kind of its newest run; the first one opens by default. */
const kindViews: Record<RunKind, [View, ...View[]]> = {
  workflow: workflowViews,
  check: workflowViews,
  train: workflowViews,
  chat: [chat, files, preview],
  agent: [
    { name: "Agents", href: (id) => paths.agent(id), address: "a" },
    { name: "Terminal", href: paths.term, address: "term" },
    files,
    preview,
    { name: "Changes", href: paths.changes, address: "changes" },
  ],
}

/** The kind of a session, by which it is shown: that of its newest run, where it is more than a chat. */
export function kindOf({ run, chat }: Pick<SessionView, "run" | "chat">): string | undefined {
  return run?.kind ?? (chat ? "chat" : undefined)
}

/** A session without a run, or with a kind that is newer than this page, has the views of a workflow. */
export function viewsOf(kind: string | undefined): [View, ...View[]] {
  return kindViews[kind as RunKind] ?? kindViews.workflow
}
