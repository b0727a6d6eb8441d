import type { RunKind } from "@switchyard/core/work/runs/kinds"
import { paths } from "../../session/context/routes.ts"

interface View {
  name: string
  href(sessionId: string): string
  /** How the view's address begins, after the session's. */
  address: string
}

const files: View = { name: "Files", href: paths.files, address: "files" }

/** The views of a session, by the kind of its newest run; the first is where it opens. */
const kindViews: Record<RunKind, [View, ...View[]]> = {
  workflow: [
    { name: "Run", href: paths.run, address: "run" },
    files,
    { name: "Prompts", href: paths.prompts, address: "prompts" },
  ],
  agent: [
    { name: "Terminal", href: paths.term, address: "term" },
    files,
    { name: "Changes", href: paths.changes, address: "changes" },
  ],
}

/** A session without a run, or with one of a kind that came later than this page, has those of a workflow. */
export function viewsOf(kind: string | undefined): [View, ...View[]] {
  return kindViews[kind as RunKind] ?? kindViews.workflow
}
