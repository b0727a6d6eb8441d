import { Suspense, useCallback, useMemo, useState } from "react"
import { useLocation } from "wouter"
import { useCommand } from "../../session/context/commands.ts"
import { paths } from "../../session/context/routes.ts"
import type { SessionStore } from "../../session/stream/session-store.ts"
import { useSessionData } from "../../session/view/use-session.ts"
import { Button } from "../../ui/button.tsx"
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { lazyPart } from "../../ui/lazy-part.ts"
import { Notice, Skeleton } from "../../ui/notice.tsx"
import { Split } from "../../ui/split.tsx"
import { useMedia } from "../../ui/use-media.ts"
import { useDraftStore } from "../run/prompt/use-draft-prompt.ts"
import { ChatComposer } from "./composer.tsx"
import { ContextPanel } from "./context-panel.tsx"
import { FileList } from "./file-list.tsx"
import { Messages } from "./messages.tsx"
import { RestoreNotice } from "./restore-notice.tsx"
import { ReviewNotice } from "./review-notice.tsx"
import { Tiers } from "./tiers.tsx"
import { type ChatBranch, type ChatMessage, useChat } from "./use-chat.ts"
import { useChatActions } from "./use-chat-actions.ts"
import { useChatFiles } from "./use-chat-files.ts"

const HistoryDialog = lazyPart(async () => (await import("./history-dialog.tsx")).HistoryDialog)

const MapDialog = lazyPart(async () => (await import("./map-dialog.tsx")).MapDialog)

const ReviewDialog = lazyPart(async () => (await import("./review-dialog.tsx")).ReviewDialog)

const NO_BRANCHES: ChatBranch[] = []

/** The chat over the session's files: what the model is shown, the conversation, and what it took. */
export function ChatPane({ session }: { session: SessionStore }) {
  const id = session.sessionId
  const [, go] = useLocation()
  const { chat, messages, error, isPending, earlier } = useChat(session)
  const actions = useChatActions(id, messages)
  const chatFiles = useChatFiles(session, chat)
  // Drawn by the composer alone: a key draws nothing else anew.
  const draft = useDraftStore(`${id}.chat`)
  const [dialog, setDialog] = useState<"history" | "files" | "context" | "map" | "reset" | "review" | null>(null)
  const hasTurn = useSessionData(session, ({ live }) => live.chat?.turn != null)
  const isRestoring = chat?.restoring?.error === null
  const isBusy = hasTurn || isRestoring
  const hasFiles = useMedia("(min-width: 768px)")
  const hasContext = useMedia("(min-width: 1180px)")
  const selected = useMemo(() => chat?.selected_files ?? [], [chat?.selected_files])
  const chosen = useMemo(() => new Set(selected), [selected])
  const open = useCallback((path: string) => go(paths.files(id, path)), [go, id])
  const close = () => setDialog(null)
  const add = (files: string[]) => {
    actions.select([...new Set([...selected, ...files])])
    const named = files.length === 1 ? `The file ${files[0]} is` : `The files ${files.join(", ")} are`
    const notice = `${named} in the context now.`
    const written = draft.read()
    draft.write(written.trim() === "" ? `${notice} ` : `${written} (${notice})`)
  }
  const moments = {
    onRewind: async (message: ChatMessage) => {
      if (await actions.rewind(message.seq - 1)) draft.write(message.content)
    },
    onFork: async (message: ChatMessage) => {
      const forked = await actions.fork(message.end_seq)
      if (forked !== null) go(paths.chat(forked))
    },
    onUndo: ({ request_id }: ChatMessage) => void (request_id && actions.undo(request_id)),
    onReturn: (branch: ChatBranch) => actions.rewind(branch.left_seq),
  }
  useCommand("chat-history", "Show the conversations of this session", () => setDialog("history"))
  useCommand("chat-commit", "Commit the chat's files", isBusy ? null : actions.commit)
  useCommand("chat-reset", "Reset the chat's files to the last commit", isBusy ? null : () => setDialog("reset"))
  useCommand("chat-review", "Review changes in the chat", isBusy ? null : () => setDialog("review"))
  useCommand("chat-map", "Show the map of the code", () => setDialog("map"))
  useCommand("chat-rebuild", "Deal the chat's context out anew", isBusy ? null : actions.rebuild)
  useCommand("chat-new", "Begin a new conversation", actions.begin)

  const files = <FileList files={chatFiles} selected={selected} onSelect={actions.select} onOpen={open} />
  const context = (
    <ContextPanel chat={chat} messages={messages}>
      <Tiers session={session} actions={actions} />
    </ContextPanel>
  )
  const conversation = (
    <section
      aria-label="Chat"
      data-region="conversation"
      tabIndex={-1}
      className="grid h-full min-h-0 min-w-0 grid-cols-[minmax(0,1fr)] grid-rows-[auto_minmax(0,1fr)_auto]"
    >
      <div className="flex flex-wrap items-center gap-1 border-b border-line px-3 py-1 max-sm:px-1">
        {!hasFiles && (
          <Button size="sm" tone="quiet" onClick={() => setDialog("files")}>
            {selected.length === 0 ? "Select files" : `${selected.length} selected`}
          </Button>
        )}
        <span className="ml-auto flex gap-1 max-sm:gap-0">
          {!hasContext && (
            <Button size="sm" tone="quiet" onClick={() => setDialog("context")}>
              Context
            </Button>
          )}
          <Button size="sm" tone="quiet" disabled={isBusy} onClick={actions.commit}>
            Commit
          </Button>
          <Button size="sm" tone="quiet" onClick={() => setDialog("history")}>
            Conversations
          </Button>
          <Button size="sm" tone="quiet" onClick={actions.begin}>
            New
          </Button>
        </span>
      </div>
      {isPending ? (
        <Skeleton lines={6} />
      ) : (
        <Messages
          session={session}
          messages={messages}
          files={chatFiles.files}
          sending={actions.sending?.message ?? null}
          inFlight={chat?.in_flight?.content ?? null}
          selected={chosen}
          earlier={earlier}
          onOpen={open}
          onAdd={isRestoring ? null : add}
          onCompose={draft.write}
          branches={chat?.branches ?? NO_BRANCHES}
          compaction={chat?.compaction ?? null}
          moments={isBusy ? null : moments}
        />
      )}
      <div className="pt-2">
        {error && (
          <Notice tone="err" className="mx-4 mb-2">
            {error.message}
          </Notice>
        )}
        {chat?.restoring && <RestoreNotice restoring={chat.restoring} />}
        {chat?.review && <ReviewNotice review={chat.review} onEnd={isBusy ? null : actions.endReview} />}
        <ChatComposer session={session} actions={actions} messages={messages} draft={draft} isHeld={isRestoring} />
      </div>
    </section>
  )
  return (
    <div data-region="main" tabIndex={-1} className="min-h-0 min-w-0">
      <div
        className={`grid h-full min-h-0 ${hasContext ? "grid-cols-[minmax(0,1fr)_280px]" : "grid-cols-[minmax(0,1fr)]"}`}
      >
        {/* Without its first part on a narrow screen: what is being written stays mounted, whatever the width becomes. */}
        <Split
          direction="row"
          label="Width of the files"
          initial={26}
          least={[180, 340]}
          first={hasFiles ? files : null}
          second={conversation}
        />
        {hasContext && <div className="min-h-0 border-l border-line">{context}</div>}
      </div>
      {dialog === "history" && (
        <Suspense>
          <HistoryDialog sessionId={id} onLoad={actions.load} onNew={actions.begin} onClose={close} />
        </Suspense>
      )}
      {dialog === "reset" && (
        <ConfirmDialog
          title="Reset the files"
          action="Reset"
          busy={false}
          onClose={close}
          onConfirm={() => {
            close()
            actions.reset()
          }}
        >
          The files become what they were at the last commit, or else at first. What came after it goes, but for the
          versions in the log or, in a repository, the commits on the branch.
        </ConfirmDialog>
      )}
      {dialog === "review" && (
        <Suspense>
          <ReviewDialog actions={actions} onClose={close} />
        </Suspense>
      )}
      {dialog === "map" && (
        <Suspense>
          <MapDialog sessionId={id} onClose={close} />
        </Suspense>
      )}
      {dialog === "files" && (
        <Dialog title="Files for the model" onClose={close}>
          <div className="h-[60dvh]">{files}</div>
        </Dialog>
      )}
      {dialog === "context" && (
        <Dialog title="Context" onClose={close}>
          {context}
        </Dialog>
      )}
    </div>
  )
}
