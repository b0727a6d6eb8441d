import { NodeName } from "@switchyard/core/work/workflow/schema"
import { type KeyboardEvent, useId, useState } from "react"
import { useToast } from "../../session/context/studio.ts"
import { isOverridden, useOverrides } from "../../session/preferences/prompt-overrides.ts"
import { useShownSession } from "../../session/view/use-session.ts"
import { Button } from "../../ui/button.tsx"
import { Copy, Lock } from "../../ui/more-icons.tsx"
import { Notice, Skeleton } from "../../ui/notice.tsx"
import { OpenPart } from "./open-part.tsx"
import { usePromptSchema } from "./prompt-schema.ts"
import { lockedText } from "./prompt-text.ts"

export interface PromptEditorProps {
  node: NodeName
  onNode(node: NodeName): void
}

/** Shows a node's prompt: the fixed part, and the part that the user can override. */
export function PromptEditor({ node, onNode }: PromptEditorProps) {
  const { sessionId } = useShownSession()
  const schema = usePromptSchema()
  const { overrides, set } = useOverrides()
  const panel = useId()
  const parts = schema.data?.nodes[node]
  const locked = lockedText(schema.data?.policy.immutable_rules ?? [], parts?.immutable_prefix ?? "")
  return (
    <div className="flex min-h-full flex-col bg-paper">
      <NodeTabs node={node} onNode={onNode} panel={panel} isOverridden={(one) => isOverridden(overrides, one)} />
      {schema.error && !schema.data && (
        <Notice tone="err" className="flex items-center gap-3">
          <span className="flex-1">Couldn't load the prompts. {schema.error.message}</span>
          <Button size="sm" onClick={() => schema.refetch()}>
            Retry
          </Button>
        </Notice>
      )}
      <div role="tabpanel" id={panel} aria-label={titles[node]} className="flex flex-1 flex-col p-4 max-md:p-3">
        <LockedPart key={`locked-${node}`} text={locked} />
        {parts && schema.data ? (
          <OpenPart
            key={`open-${sessionId}-${node}`}
            title={titles[node]}
            locked={locked}
            standard={parts.default_mutable}
            limit={schema.data.policy.max_mutable_prompt_chars}
            written={overrides[node]}
            onWrite={(text) => set(node, text)}
          />
        ) : (
          <Skeleton lines={4} />
        )}
      </div>
    </div>
  )
}

const titles = { planner: "Planner", architect: "Architect", coder: "Coder" } satisfies Record<NodeName, string>

interface TabsProps {
  node: NodeName
  panel: string
  onNode(node: NodeName): void
  isOverridden(node: NodeName): boolean
}

function NodeTabs({ node, panel, onNode, isOverridden }: TabsProps) {
  function pressed(event: KeyboardEvent<HTMLElement>) {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0
    if (step === 0) return
    event.preventDefault()
    const nodes = NodeName.options
    const next = nodes[(nodes.indexOf(node) + step + nodes.length) % nodes.length] ?? node
    onNode(next)
    event.currentTarget.querySelector<HTMLElement>(`[data-agent-node=${next}]`)?.focus()
  }
  return (
    <div
      role="tablist"
      aria-label="Nodes"
      onKeyDown={pressed}
      className="sticky top-0 z-1 flex h-10 shrink-0 border-b border-line bg-paper px-1 max-md:h-12"
    >
      {NodeName.options.map((one) => (
        <button
          key={one}
          type="button"
          role="tab"
          aria-selected={one === node}
          aria-controls={panel}
          tabIndex={one === node ? 0 : -1}
          data-agent-node={one}
          onClick={() => onNode(one)}
          className="-mb-px flex items-center gap-2 border-b-2 border-transparent px-3 text-sm text-ink-2 hover:text-ink focus-visible:outline-offset-[-2px] aria-selected:border-accent aria-selected:text-ink"
        >
          {titles[one]}
          {isOverridden(one) && (
            <span className="rounded-sm border border-line px-1 text-xs text-ink-2">overridden</span>
          )}
        </button>
      ))}
    </div>
  )
}

/** The fixed part of a prompt. It can be read, searched and copied; typing in it shows a hint. */
function LockedPart({ text }: { text: string }) {
  const id = useId()
  const toast = useToast()
  const [refused, setRefused] = useState(false)

  async function copy() {
    try {
      await navigator.clipboard.writeText(text)
      toast("Copied.")
    } catch {
      toast("Your browser blocked copying. Select the text and copy it.", "err")
    }
  }

  return (
    <div className="shrink-0">
      <div className="mb-1.5 flex min-h-7 items-center gap-2">
        <Lock size={14} aria-hidden className="text-ink-3" />
        <label htmlFor={id} className="text-sm font-semibold">
          Fixed section
        </label>
        <span className="truncate text-sm text-ink-3 max-md:hidden">Read-only</span>
        <Button size="sm" tone="quiet" className="ml-auto" onClick={copy}>
          <Copy size={13} aria-hidden /> Copy
        </Button>
      </div>
      <textarea
        id={id}
        readOnly
        value={text}
        spellCheck={false}
        rows={12}
        aria-describedby={`${id}-note`}
        onKeyDown={(event) => setRefused(isEdit(event))}
        onPaste={() => setRefused(true)}
        onDrop={() => setRefused(true)}
        onBlur={() => setRefused(false)}
        className="locked-part block h-[34vh] min-h-28 w-full resize-y rounded-md border border-line bg-well px-3 py-2 font-mono text-sm leading-normal text-ink-2"
      />
      <p id={`${id}-note`} role="status" className="min-h-5 pt-0.5 text-xs text-need">
        {refused && "This section is read-only. Edit the section below instead."}
      </p>
    </div>
  )
}

function isEdit({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  const written = key.length === 1 && !ctrlKey && !metaKey && !altKey
  const cut = key.toLowerCase() === "x" && (ctrlKey || metaKey)
  return written || cut || ["Enter", "Backspace", "Delete"].includes(key)
}
