import type { RunKind } from "@switchyard/core/work/runs/kinds"
import { paths } from "../../session/context/routes.ts"
import { useSessionData } from "../../session/view/use-session.ts"

interface View {
  name: string
  href(sessionId: string): string
  /** Beginning of the view's path, after the session's. */
  address: string
}

type Views = [View, ...View[]]

const run: View = { name: "Build", href: paths.run, address: "run" }
const team: View = { name: "Team", href: paths.team, address: "team" }
const agents: View = { name: "Agents", href: (id) => paths.agent(id), address: "a" }
const terminal: View = { name: "Terminal", href: paths.term, address: "term" }
const chat: View = { name: "Chat", href: paths.chat, address: "chat" }
const files: View = { name: "Files", href: paths.files, address: "files" }
const preview: View = { name: "Preview", href: paths.preview, address: "preview" }
const changes: View = { name: "Changes", href: paths.changes, address: "changes" }
const merge: View = { name: "Merge queue", href: paths.merge, address: "merge" }
const bakeOffs: View = { name: "Compare", href: paths.bakeOffs, address: "bake-offs" }
const prompts: View = { name: "Prompts", href: paths.prompts, address: "prompts" }

/** Order of the tabs. */
const order = [run, team, bakeOffs, agents, terminal, chat, files, preview, changes, merge, prompts]

/** Views that the run screen has as panes. */
const panes: readonly View[] = [files, preview, prompts]
const built: Views = [run, chat, ...panes]

/** The views of a session for each kind of run. The first one opens by default. */
const kindViews: Record<RunKind, Views> = {
  workflow: built,
  check: built,
  train: built,
  chat: [chat, files, preview],
  page: [chat, files, preview],
  rewind: [chat, files, preview],
  fork: [chat, files, preview],
  chat_files: [chat, files, preview],
  team: [team, files, preview],
  work_node: [team, files, preview],
  shell_command: [team, files, preview],
  login: [terminal],
  agent: [agents, terminal, files, preview, changes],
}

/** Kinds of runs started by a team that add no tabs. */
const WITHIN_TEAMS: RunKind[] = ["work_node", "shell_command", "check", "train"]
/** Kinds of runs started by a team. They don't replace the team's view. */
const OF_TEAMS: ReadonlySet<string> = new Set<RunKind>([...WITHIN_TEAMS, "agent"])

/** The parts of a session that determine how it is shown. */
interface SessionContents {
  /** Kinds of its runs, each once, latest last. Kinds that this page doesn't know yet are shown like a workflow. */
  runKinds: readonly string[]
  hasChat: boolean
  /** Whether a worktree has changes, or had some that were merged. */
  hasChanges?: boolean
  /** Whether several worktrees have work to merge, or were merged by the merge queue. */
  hasMerges?: boolean
  hasBakeOffs?: boolean
  /** Whether programs may be members of its team. Their tabs are shown from the start. */
  hasTeamPrograms?: boolean
}

/**
 * Returns a session's views: every one that has something to show, except those that are panes of its run screen. The
 * latest run decides which opens by default; if a team started that run, the team's view does.
 */
export function viewsOf(contents: SessionContents): Views {
  const {
    runKinds,
    hasChat,
    hasChanges = false,
    hasMerges = false,
    hasBakeOffs = false,
    hasTeamPrograms = false,
  } = contents
  const kinds = hasChat ? ["chat", ...runKinds] : runKinds
  const viewsOfKind = (kind: string) => kindViews[kind as RunKind] ?? built
  const hasTeam = kinds.includes("team")
  const withTabs = hasTeam ? kinds.filter((kind) => !WITHIN_TEAMS.some((one) => one === kind)) : kinds
  const ofEach = withTabs.map(viewsOfKind)
  const [first] = viewsOfKind(kinds.findLast((kind) => !hasTeam || !OF_TEAMS.has(kind)) ?? "workflow")
  const shown = new Set([
    ...(ofEach.length > 0 ? ofEach.flat() : built),
    ...(hasTeamPrograms ? kindViews.agent : []),
    ...(hasChanges ? [changes] : []),
    ...(hasMerges ? [merge] : []),
    ...(hasBakeOffs ? [bakeOffs] : []),
  ])
  if (arePanes(contents)) for (const pane of panes) shown.delete(pane)
  return [first, ...order.filter((view) => view !== first && shown.has(view))]
}

/**
 * Returns true if the session's files, preview and prompts are panes of its run screen. A team's are views, because its
 * runs aren't shown there.
 */
function arePanes({ runKinds, hasChat }: Pick<SessionContents, "runKinds" | "hasChat">): boolean {
  if (runKinds.includes("team")) return false
  const viewsOfRuns = runKinds.map((kind) => kindViews[kind as RunKind] ?? built)
  return viewsOfRuns.some((views) => views.includes(run)) || (viewsOfRuns.length === 0 && !hasChat)
}

export function useArePanes(): boolean {
  return useSessionData(({ live }) => arePanes({ runKinds: live.runKinds, hasChat: live.chat !== null }))
}

export function useSessionViews(): Views {
  const runKinds = useSessionData(({ live }) => live.runKinds)
  const hasChat = useSessionData(({ live }) => live.chat !== null)
  const hasChanges = useSessionData(({ live: { worktrees } }) =>
    Object.values(worktrees).some(({ hasChanges, begun, merged }) => hasChanges || begun || merged),
  )
  const hasMerges = useSessionData(
    ({ live: { train, worktrees } }) =>
      train !== null || Object.values(worktrees).filter((work) => work.hasChanges).length > 1,
  )
  const hasBakeOffs = useSessionData(({ live }) => live.bakeOffSeq > 0)
  const hasTeamPrograms = useSessionData(({ live }) => live.hasTeamPrograms)
  return viewsOf({ runKinds, hasChat, hasChanges, hasMerges, hasBakeOffs, hasTeamPrograms })
}
