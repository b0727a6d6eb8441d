import { useCommandState } from "cmdk"
import type { RefObject } from "react"
import { useLocation, useRoute } from "wouter"
import { useStore } from "zustand"
import { useCommands } from "../../session/context/commands.ts"
import { paths } from "../../session/context/routes.ts"
import { useStudio } from "../../session/context/studio.ts"
import { useSessions } from "../../session/list/use-sessions.ts"
import type { SessionStore } from "../../session/stream/session-store.ts"
import { StatusIcon } from "../../ui/icons.tsx"
import { FileText, Terminal } from "../../ui/more-icons.tsx"
import { SearchDialog, SearchItem } from "../../ui/search-dialog.tsx"
import { ago } from "../../ui/time.ts"
import { useSettled } from "../../ui/use-settled.ts"
import { inOrder, recentCommands, rememberCommand } from "./command-order.ts"
import { FoundMessages } from "./found-messages.tsx"
import { KeyCaps } from "./key-caps.tsx"
import { Group, type Leaving } from "./lines.tsx"
import { score } from "./score.ts"
import { shortcuts } from "./shortcuts.ts"

interface Props {
  onClose(): void
  /** Text typed while the palette was loading. */
  typed: RefObject<string>
}

/** Finds sessions, files and commands by part of their name, and messages by their words. */
export function CommandPalette({ onClose, typed }: Props) {
  const leaving = (act: () => void) => () => {
    onClose()
    act()
  }

  return (
    <SearchDialog
      label="Search everything"
      placeholder="Search sessions, files, commands and messages"
      typedAhead={() => typed.current}
      filter={score}
      onClose={onClose}
    >
      <Sessions leaving={leaving} />
      <Files leaving={leaving} />
      <Commands leaving={leaving} />
      <FoundMessages leaving={leaving} />
    </SearchDialog>
  )
}

const AT_FIRST = 5

/** Returns only the first few items of a group until something is typed, so that all groups are visible. */
function useFew<T>(all: T[]): T[] {
  const searching = useCommandState((state) => state.search !== "")
  return searching ? all : all.slice(0, AT_FIRST)
}

function Commands({ leaving }: { leaving: Leaving }) {
  const recent = recentCommands(localStorage)
  const commands = inOrder(useCommands(), recent).filter(({ id }) => id !== "palette")
  return (
    <Group heading="Commands">
      {commands.map(({ id, title, run }) => {
        const keys = shortcuts.find((shortcut) => shortcut.id === id)?.keys
        return (
          <SearchItem
            key={id}
            value={`command ${id}`}
            words={[title]}
            icon={<Terminal size={15} aria-hidden />}
            onSelect={leaving(() => {
              rememberCommand(localStorage, id)
              run()
            })}
          >
            <span className="truncate">{title}</span>
            {keys && (
              <span className="ml-auto pl-3 max-md:hidden">
                <KeyCaps keys={keys} />
              </span>
            )}
          </SearchItem>
        )
      })}
    </Group>
  )
}

function Files({ leaving }: { leaving: Leaving }) {
  const [, params] = useRoute("/s/:id/*?")
  const session = useStudio().sessions.get(decodeURIComponent(params?.id ?? ""))
  return session ? <SessionFiles session={session} leaving={leaving} /> : null
}

function SessionFiles({ session, leaving }: { session: SessionStore; leaving: Leaving }) {
  const [, go] = useLocation()
  // Uses the store directly, because the session screens' hooks would load everything that reads a session's log, even
  // outside of sessions.
  const files = useFew(useStore(session.store, ({ live }) => live.files.manifest.files))
  if (files.length === 0) return null
  return (
    <Group heading="Files in this session">
      {files.map(({ path }) => (
        <SearchItem
          key={path}
          value={`file ${path}`}
          words={[path]}
          icon={<FileText size={15} aria-hidden />}
          onSelect={leaving(() => go(paths.files(session.sessionId, path)))}
        >
          <span className="truncate font-mono text-sm">{path}</span>
        </SearchItem>
      ))}
    </Group>
  )
}

/**
 * Sessions, searched by the server, because it also knows those that haven't been loaded. The current one is left out.
 */
function Sessions({ leaving }: { leaving: Leaving }) {
  const search = useCommandState((state) => state.search)
  const { data, error } = useSessions(useSettled(search.trim()))
  const [, params] = useRoute("/s/:id/*?")
  const [, go] = useLocation()
  const here = params?.id && decodeURIComponent(params.id)
  const sessions = useFew((data?.sessions ?? []).filter(({ id }) => search !== "" || id !== here))
  if (sessions.length === 0 && !error) return null
  return (
    <Group heading="Sessions">
      {error && !data && <p className="p-2 text-sm text-ink-3">Couldn't load sessions.</p>}
      {sessions.map(({ id, name, status, last_activity }) => (
        <SearchItem
          key={id}
          value={`${id === here ? "here" : "session"} ${id}`}
          words={[name]}
          icon={<StatusIcon state={status} size={15} />}
          onSelect={leaving(() => go(paths.session(id)))}
        >
          <span className="truncate">{name}</span>
          <span className="ml-auto shrink-0 pl-3 text-xs text-ink-3 nums">
            {id === here ? "this session" : ago(last_activity)}
          </span>
        </SearchItem>
      ))}
    </Group>
  )
}
