import { type ReactNode, useEffect, useRef, useState } from "react"
import { Link, useLocation } from "wouter"
import type { SessionDraft } from "../../features/sessions/session-dialogs.tsx"
import { useCommand } from "../../session/context/commands.ts"
import { paths } from "../../session/context/routes.ts"
import { useStudio } from "../../session/context/studio.ts"
import { useSessionActions } from "../../session/list/use-session-actions.ts"
import { useListedSession } from "../../session/list/use-sessions.ts"
import { isRunning } from "../../session/stream/run.ts"
import { useSessionData, useShownSession } from "../../session/view/use-session.ts"
import { Button, IconButton } from "../../ui/button.tsx"
import { Ellipsis, StatusIcon } from "../../ui/icons.tsx"
import { lazyPart } from "../../ui/lazy-part.ts"
import type { MenuItem } from "../../ui/menu.tsx"
import { Download } from "../../ui/session-icons.tsx"
import { dayOf } from "../../ui/time.ts"
import { useCurrentInSight } from "../../ui/use-current-in-sight.ts"
import { useSessionViews } from "./session-views.ts"
import { useDownload } from "./use-download.ts"

const Menu = lazyPart(async () => (await import("../../ui/menu.tsx")).Menu)
const ResetDialog = lazyPart(async () => (await import("./reset-dialog.tsx")).ResetDialog)
const PublishDialog = lazyPart(async () => (await import("../../features/publish/publish-dialog.tsx")).PublishDialog)
const PushDialog = lazyPart(async () => (await import("../../features/publish/push-dialog.tsx")).PushDialog)
const SessionDialogs = lazyPart(
  async () => (await import("../../features/sessions/session-dialogs.tsx")).SessionDialogs,
)
const SessionBudget = lazyPart(async () => (await import("../../features/usage/session-budget.tsx")).SessionBudget)

export function SessionTabs({ view }: { view: string }) {
  const { sessionId: id } = useShownSession()
  const fileCount = useSessionData(({ live }) => live.files.manifest.files.length)
  const download = useDownload(id)
  const line = useListedSession(id)
  const views = useSessionViews()
  const strip = useCurrentInSight<HTMLElement>(view)
  const canDownload = fileCount > 0 && !download.busy
  return (
    <div className="flex h-10 items-center gap-1 border-b border-line px-2 max-md:h-12">
      <Heading name={line?.name ?? "Session"} />
      <nav
        ref={strip}
        aria-label="Views"
        className="fade-edges flex h-full min-w-0 overflow-x-auto max-md:[scrollbar-width:none]"
      >
        {views.map(({ name, href, address }) => (
          <Link
            key={name}
            href={href(id)}
            aria-current={view.startsWith(address) ? "page" : undefined}
            className="flex items-center whitespace-nowrap border-b-2 border-transparent px-3 text-sm -outline-offset-2 max-md:px-2.5 max-[360px]:px-2 text-ink-2 hover:text-ink aria-[current]:border-accent aria-[current]:font-semibold aria-[current]:text-ink"
          >
            {name}
          </Link>
        ))}
      </nav>
      <div className="ml-auto flex shrink-0 items-center gap-0.5">
        {line && (
          <span className="mr-2 text-xs text-ink-3 nums max-lg:hidden" title={`Session ${id}`}>
            Deleted after {dayOf(line.expires_at)} if unused
          </span>
        )}
        <SessionActions onDownload={canDownload ? download.start : null}>
          <Button
            size="sm"
            id="agent-download-button"
            data-agent-action="download-zip"
            disabled={!canDownload}
            onClick={download.start}
            className="ml-1 max-sm:min-w-11 max-sm:border-transparent max-sm:bg-transparent max-sm:disabled:border-transparent"
          >
            {download.busy ? <StatusIcon state="busy" label={null} /> : <Download size={14} aria-hidden />}
            <span className="max-sm:unseen">{download.busy ? "Creating zip…" : "Zip"}</span>
          </Button>
        </SessionActions>
      </div>
    </div>
  )
}

/**
 * The session's name. It takes the focus when the user comes from another screen, so that screen readers read it first.
 */
function Heading({ name }: { name: string }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    const { activeElement } = document
    if (activeElement instanceof HTMLElement && activeElement.id === "main") heading.current?.focus()
  }, [])
  return (
    <h1 ref={heading} tabIndex={-1} className="unseen">
      {name}
    </h1>
  )
}

interface ActionsProps {
  /** Null while there is nothing to download. */
  onDownload: (() => void) | null
  children: ReactNode
}

/** Addresses of the views whose work is done by a model rather than by an agent's program. */
const OF_MODELS: readonly string[] = ["chat", "prompts", "team"]

/** Actions on the session: as buttons if there is room, in a menu, and as palette commands. */
function SessionActions({ onDownload, children }: ActionsProps) {
  const { sessionId } = useShownSession()
  const { browser } = useStudio()
  const [publishing, setPublishing] = useState(false)
  const [pushing, setPushing] = useState(false)
  const [resetting, setResetting] = useState(false)
  const [draft, setDraft] = useState<SessionDraft>(null)
  const [menu, setMenu] = useState<HTMLElement | null>(null)
  const [budgeting, setBudgeting] = useState(false)
  const hasBudget = useSessionData(({ live }) => live.budgetSeq > 0)
  const running = useSessionData(({ live }) => isRunning(live.run))
  const hasFiles = useSessionData(({ live }) => live.files.manifest.files.length > 0)
  const usesModel = useSessionViews().some(({ address }) => OF_MODELS.includes(address))
  const line = useListedSession(sessionId)
  const { pin } = useSessionActions()

  const openKey = () => browser.setState({ dialog: "model-key", keyFor: null })
  const publish = hasFiles ? () => setPublishing(true) : null
  const push = hasFiles ? () => setPushing(true) : null
  const reset = () => setResetting(true)
  const rename = line ? () => setDraft({ type: "rename", session: line }) : null
  const togglePin = line ? () => void pin(line, !line.pinned) : null
  const remove = line ? () => setDraft({ type: "delete", session: line }) : null
  const [, go] = useLocation()
  const openBakeOffs = () => go(paths.bakeOffs(sessionId))
  const openBudget = () => setBudgeting(true)
  useCommand("rename-session", "Rename this session", rename)
  useCommand("pin-session", line?.pinned ? "Unpin this session" : "Pin this session", togglePin)
  useCommand("bake-offs", "Compare agents", openBakeOffs)
  useCommand("session-budget", "Session budget", openBudget)
  useCommand("publish", "Publish this session's page", publish)
  useCommand("push", "Push to a repository", push)
  useCommand("download-zip", "Download zip", onDownload)
  useCommand("reset-session", "Reset this session", reset)
  useCommand("delete-session", "Delete this session", remove)

  const items: MenuItem[] = [
    ...(rename ? [{ name: "Rename", run: rename }] : []),
    ...(togglePin ? [{ name: line?.pinned ? "Unpin" : "Pin", run: togglePin }] : []),
    ...(publish ? [{ name: "Publish", run: publish }] : []),
    ...(push ? [{ name: "Push to a repository", run: push }] : []),
    { name: "Budget", run: openBudget },
    { name: "Compare agents", run: openBakeOffs },
    ...(usesModel ? [{ name: "API key", run: openKey }] : []),
    { name: "Reset", action: "reset", run: reset },
    ...(remove ? [{ name: "Delete", danger: true, run: remove }] : []),
  ]
  return (
    <>
      {(hasBudget || budgeting) && (
        <SessionBudget isOpen={budgeting} onOpen={openBudget} onClose={() => setBudgeting(false)} />
      )}
      {publish && (
        <Button size="sm" onClick={publish} className="max-md:hidden">
          Publish
        </Button>
      )}
      {children}
      <IconButton
        label="Session actions"
        aria-haspopup="menu"
        onClick={({ currentTarget }) => setMenu(menu ? null : currentTarget)}
      >
        <Ellipsis size={16} aria-hidden />
      </IconButton>
      {menu && <Menu label="Session actions" items={items} anchor={menu} onClose={() => setMenu(null)} />}
      {publishing && <PublishDialog onClose={() => setPublishing(false)} />}
      {pushing && <PushDialog onClose={() => setPushing(false)} />}
      {resetting && <ResetDialog running={running} onClose={() => setResetting(false)} />}
      {draft && <SessionDialogs draft={draft} onClose={() => setDraft(null)} />}
    </>
  )
}
