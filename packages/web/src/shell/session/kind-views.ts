import type { RunKind } from "@switchyard/core/work/runs/kinds"
import { paths } from "../../session/context/routes.ts"

interface View {
  name: string
  href(sessionId: string): string
  /** The beginning of the view's path, after the session's. */
  address: string
}

const files: View = { name: "Files", href: paths.files, address: "files" }
const preview: View = { name: "Preview", href: paths.preview, address: "preview" }

const workflowViews: [View, ...View[]] = [
  { name: "Run", href: paths.run, address: "run" },
  files,
  preview,
  { name: "Prompts", href: paths.prompts, address: "prompts" },
]

/** The views of a session, by the kind of its newest run; the first one opens by default. */
const kindViews: Record<RunKind, [View, ...View[]]> = {
  workflow: workflowViews,
  check: workflowViews,
  agent: [
    { name: "Terminal", href: paths.term, address: "term" },
    files,
    preview,
    { name: "Changes", href: paths.changes, address: "changes" },
  ],
}

/** A session without a run, or with a kind that is newer than this page, has the views of a workflow. */
export function viewsOf(kind: string | undefined): [View, ...View[]] {
  return kindViews[kind as RunKind] ?? kindViews.workflow
}
