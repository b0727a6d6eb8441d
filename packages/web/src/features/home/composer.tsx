import { clsx } from "clsx"
import type { ReactNode, Ref, RefObject } from "react"
import { useCommand } from "../../session/context/commands.ts"
import { MessageField } from "../../session/context/message-field.tsx"
import { Button } from "../../ui/button.tsx"
import { Form } from "../../ui/form.tsx"
import { Play, StatusIcon } from "../../ui/icons.tsx"
import { isTouchScreen } from "../../ui/submit-key.ts"
import type { useDraft } from "./use-draft.ts"

interface Props {
  /** Label of the field, for screen readers. */
  label: string
  placeholder: string
  draft: Pick<ReturnType<typeof useDraft>, "text" | "write">
  /** Label of the button, and its action; null while disabled. */
  action: string
  onRun: (() => void) | null
  busy: boolean
  autoFocus?: boolean
  field?: Ref<HTMLTextAreaElement>
  /** True if the controls next to the button have labels above them. The button is then aligned with the controls. */
  labelled?: boolean
  /** Further controls next to the button. */
  children: ReactNode
}

/** The form that starts a session: a text, controls below it, and the button. */
export function Composer(props: Props) {
  const { label, placeholder, draft, action, onRun, busy, autoFocus, field, labelled, children } = props
  useCommand("run", action, onRun)
  return (
    <Form
      className="rounded-md border border-strong bg-sheet outline-offset-1 outline-accent has-[textarea:focus-visible]:outline-2"
      onSubmit={() => onRun?.()}
    >
      <MessageField
        label={label}
        ref={field}
        // Focused on load, except on touch screens, where the keyboard would cover half of the page.
        autoFocus={autoFocus && !isTouchScreen()}
        rows={4}
        value={draft.text}
        onChange={draft.write}
        onSubmit={() => onRun?.()}
        placeholder={placeholder}
        className="block max-h-[40vh] min-h-28 w-full resize-none rounded-t-md bg-transparent px-4 py-3 outline-none field-sizing-content placeholder:text-ink-3"
      />
      <div
        className={clsx(
          "flex gap-3 border-t border-line",
          labelled ? "p-4 pt-3 max-md:flex-col" : "items-center py-2.5 pr-2.5 pl-4",
        )}
      >
        {children}
        <Button
          type="submit"
          tone="primary"
          disabled={!onRun}
          id="agent-run-button"
          data-agent-action="run-agent"
          className={labelled ? "md:mt-[23px]" : "ml-auto"}
        >
          {busy ? <StatusIcon state="busy" label={null} /> : <Play size={15} aria-hidden />}
          {busy ? "Starting" : action}
        </Button>
      </div>
    </Form>
  )
}

interface ExamplesProps {
  of: readonly string[]
  draft: { write(text: string): void }
  field: RefObject<HTMLTextAreaElement | null>
}

/** Example prompts. Choosing one writes it into the draft, where it can be edited. */
export function Examples({ of, draft, field }: ExamplesProps) {
  const choose = (example: string) => {
    draft.write(example)
    field.current?.focus()
  }
  return (
    <ul aria-label="Examples" className="mt-3 flex flex-wrap gap-2">
      {of.map((example) => (
        <li key={example} className="min-w-0">
          <button
            type="button"
            className="min-h-8 rounded-md border border-line px-2.5 py-1 text-left text-sm text-ink-2 hover:border-strong hover:text-ink max-md:min-h-11"
            onClick={() => choose(example)}
          >
            {example}
          </button>
        </li>
      ))}
    </ul>
  )
}
