import type { ChatReview } from "@switchyard/core/work/chat/schema"
import { useCallback, useMemo, useState } from "react"
import { useLocation } from "wouter"
import { useCommand } from "../../session/context/commands.ts"
import { paths } from "../../session/context/routes.ts"
import { useDraftStore } from "../../session/view/use-draft-prompt.ts"
import { useReadOnly, useSessionData, useShownSession } from "../../session/view/use-session.ts"
import { Button } from "../../ui/button.tsx"
import { StatusIcon } from "../../ui/icons.tsx"
import { ErrorNotice, Notice, Skeleton } from "../../ui/notice.tsx"
import { Split } from "../../ui/split.tsx"
import { useMedia } from "../../ui/use-media.ts"
import { ChatBar } from "./chat-bar.tsx"
import { type ChatDialog, ChatDialogs } from "./chat-dialogs.tsx"
import { ChatComposer } from "./composer.tsx"
import { ContextPanel } from "./context-panel.tsx"
import { FileList } from "./file-list.tsx"
import { Messages } from "./messages.tsx"
import { Tiers } from "./tiers.tsx"
import { type ChatBranch, type ChatMessage, type ChatView, useChat } from "./use-chat.ts"
import { type ChatActions, useChatActions } from "./use-chat-actions.ts"
import { useChatFiles } from "./use-chat-files.ts"

const NO_BRANCHES: ChatBranch[] = []

/** The chat about the session's files: the model's context, the conversation, and its costs. */
export function ChatPane() {
  const { sessionId: id } = useShownSession()
  const [, go] = useLocation()
  const { chat, messages, error, isPending, earlier } = useChat()
  const actions = useChatActions(messages)
  const chatFiles = useChatFiles(chat)
  // Only the composer reads it, so that typing doesn't re-render anything else.
  const draft = useDraftStore(`${id}.chat`)
  const [dialog, setDialog] = useState<ChatDialog | null>(null)
  const hasTurn = useSessionData(({ live }) => live.chat?.turn != null)
  const isRestoring = chat?.restoring?.error === null
  const isBusy = hasTurn || isRestoring
  const readOnly = useReadOnly()
  const hasFiles = useMedia("(min-width: 768px)")
  const hasContext = useMedia("(min-width: 1180px)")
  const selected = useMemo(() => chat?.selected_files ?? [], [chat?.selected_files])
  const chosen = useMemo(() => new Set(selected), [selected])
  const open = useCallback((path: string) => go(paths.files(id, path)), [go, id])
  const add = (files: string[]) => {
    actions.select([...new Set([...selected, ...files])])
    const notice = `${files.join(", ")} ${files.length === 1 ? "is" : "are"} now in context.`
    const written = draft.read()
    draft.write(written.trim() === "" ? `${notice} ` : `${written} (${notice})`)
  }
  const retry = (message: string) => void actions.send({ message, images: [], excluded_urls: [] })
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
  useChatCommands(actions, isBusy, setDialog)

  const files = <FileList files={chatFiles} selected={selected} onSelect={actions.select} onOpen={open} />
  const context = (
    <ContextPanel chat={chat} messages={messages}>
      <Tiers actions={actions} />
    </ContextPanel>
  )
  const conversation = (
    <section
      aria-label="Chat"
      data-region="conversation"
      tabIndex={-1}
      className="grid h-full min-h-0 min-w-0 grid-cols-[minmax(0,1fr)] grid-rows-[auto_minmax(0,1fr)_auto]"
    >
      <ChatBar
        actions={actions}
        isBusy={isBusy}
        files={hasFiles ? null : selected.length === 0 ? "Select files" : `${selected.length} selected`}
        hasContext={hasContext}
        onDialog={setDialog}
      />
      {isPending ? (
        <Skeleton lines={6} />
      ) : (
        <Messages
          messages={messages}
          files={chatFiles.files}
          sending={actions.sending?.message ?? null}
          inFlight={chat?.in_flight?.content ?? null}
          selected={chosen}
          earlier={earlier}
          onOpen={open}
          onAdd={isRestoring ? null : add}
          onRetry={isBusy || readOnly !== null ? null : retry}
          branches={chat?.branches ?? NO_BRANCHES}
          compaction={chat?.compaction ?? null}
          moments={isBusy ? null : moments}
        />
      )}
      <div className="pt-2">
        <ErrorNotice error={error} className="mx-4 mb-2" />
        {chat?.restoring && <RestoreNotice restoring={chat.restoring} />}
        {chat?.review && <ReviewNotice review={chat.review} onEnd={isBusy ? null : actions.endReview} />}
        <ChatComposer actions={actions} messages={messages} draft={draft} isHeld={isRestoring} />
      </div>
    </section>
  )
  return (
    <div data-region="main" tabIndex={-1} className="min-h-0 min-w-0">
      <div
        className={`grid h-full min-h-0 ${hasContext ? "grid-cols-[minmax(0,1fr)_280px]" : "grid-cols-[minmax(0,1fr)]"}`}
      >
        {/* On a narrow screen, only the first part is left out, so that the composer stays mounted when the width
            changes. */}
        <Split
          direction="row"
          label="File list width"
          initial={26}
          least={[180, 340]}
          first={hasFiles ? files : null}
          second={conversation}
        />
        {hasContext && <div className="min-h-0 border-l border-line">{context}</div>}
      </div>
      <ChatDialogs shown={dialog} actions={actions} files={files} context={context} onClose={() => setDialog(null)} />
    </div>
  )
}

function useChatCommands(actions: ChatActions, isBusy: boolean, show: (dialog: ChatDialog) => void): void {
  useCommand("chat-history", "Show conversations", () => show("history"))
  useCommand("chat-commit", "Commit changes", isBusy ? null : actions.commit)
  useCommand("chat-reset", "Reset files to the last commit", isBusy ? null : () => show("reset"))
  useCommand("chat-review", "Review changes with the model", isBusy ? null : () => show("review"))
  useCommand("chat-map", "Show code map", () => show("map"))
  useCommand("chat-rebuild", "Rebuild context", isBusy ? null : actions.rebuild)
  useCommand("chat-new", "New conversation", actions.begin)
}

const WORDS = {
  rewind: { now: "Restoring files…", failed: "Couldn't rewind the chat" },
  fork: { now: "Copying the conversation and files…", failed: "Couldn't copy the whole chat" },
  review: { now: "Comparing files…", failed: "Couldn't start the review" },
  reset: { now: "Resetting files…", failed: "Couldn't reset the files" },
  undo: { now: "Undoing edits…", failed: "Couldn't undo the edits" },
}

/** Shown above the composer: the rewind or similar change in progress, or why it failed. */
function RestoreNotice({ restoring }: { restoring: NonNullable<ChatView["restoring"]> }) {
  const { kind, error } = restoring
  if (error !== null) {
    return (
      <Notice tone="err" className="mx-4 mb-2">
        {WORDS[kind].failed}: {error}
      </Notice>
    )
  }
  return (
    <p role="status" className="mx-auto mb-2 flex max-w-[792px] items-center gap-2 px-4 text-sm text-ink-2">
      <StatusIcon state="busy" label={null} />
      {WORDS[kind].now}
    </p>
  )
}

/** Shown above the composer: the current review, with a button that ends it. */
function ReviewNotice({ review, onEnd }: { review: ChatReview; onEnd: (() => void) | null }) {
  const { base, tip, summary } = review
  const span = [base && `since ${base}`, tip && `up to ${tip}`].filter(Boolean).join(" ")
  return (
    <p role="status" className="mx-auto mb-2 flex max-w-[792px] items-baseline gap-2 px-4 text-sm text-ink-2">
      <span className="min-w-0 grow break-words">
        Reviewing changes{span && ` ${span}`}: {summary}. Suggested edits won't be applied.
      </span>
      <Button size="sm" tone="quiet" disabled={onEnd === null} onClick={onEnd ?? undefined}>
        End review
      </Button>
    </p>
  )
}
