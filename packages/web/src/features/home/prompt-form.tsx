import { Play } from "lucide-react"
import { useId, useRef, useState } from "react"
import { useCommand } from "../../app/commands.ts"
import { useBrowser, useStudio } from "../../app/studio.ts"
import { Button } from "../../ui/button.tsx"
import { Shape } from "../../ui/shape.tsx"

const DRAFT = "switchyard.draft.new"

const examples = [
  "A todo list that remembers what I typed, in plain HTML and TypeScript",
  "A command-line tool that finds the largest files in a folder",
  "A REST API for bookmarks with tags and search, and its tests",
]

/** The prompt of a new session. What was typed survives a reload. */
export function PromptForm({ busy, onRun }: { busy: boolean; onRun(prompt: string): void }) {
  const { config } = useStudio()
  const id = useId()
  const field = useRef<HTMLTextAreaElement>(null)
  const [prompt, setPrompt] = useState(() => sessionStorage.getItem(DRAFT) ?? "")
  const enterSends = useBrowser((state) => state.preferences.enter_sends)
  const blank = prompt.trim() === ""
  const write = (text: string) => {
    setPrompt(text)
    sessionStorage.setItem(DRAFT, text)
  }
  const run = () => {
    if (blank || busy) return
    sessionStorage.removeItem(DRAFT)
    onRun(prompt)
  }
  useCommand("run", "Run the prompt", blank || busy ? null : run)

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        run()
      }}
    >
      <label htmlFor={id} className="unseen">
        What to build
      </label>
      <div className="rounded-md border border-strong bg-sheet focus-within:outline-2 focus-within:outline-accent focus-within:outline-offset-1">
        <textarea
          ref={field}
          id={id}
          // The page is there to be typed into.
          // biome-ignore lint/a11y/noAutofocus: nothing else on it comes before this
          autoFocus
          rows={5}
          value={prompt}
          onChange={(event) => write(event.target.value)}
          onKeyDown={(event) => {
            if (!enterSends || event.key !== "Enter" || event.shiftKey || isTouch()) return
            event.preventDefault()
            run()
          }}
          placeholder="Describe it in a sentence or two"
          className="block w-full resize-none rounded-md bg-transparent px-4 pt-3 outline-none placeholder:text-ink-3"
        />
        <div className="flex items-center gap-3 px-3 pb-3 pl-4">
          <span className="min-w-0 truncate text-sm text-ink-3" title={config.default_model}>
            {config.default_model}
          </span>
          <Button
            type="submit"
            tone="primary"
            disabled={blank || busy}
            id="agent-run-button"
            data-agent-action="run-agent"
            className="ml-auto"
          >
            {busy ? <Shape state="busy" label={null} /> : <Play size={15} aria-hidden />}
            {busy ? "Starting" : "Run"}
          </Button>
        </div>
      </div>
      <ul aria-label="Examples" className="mt-3 flex flex-wrap gap-2">
        {examples.map((example) => (
          <li key={example} className="min-w-0">
            <button
              type="button"
              className="min-h-8 rounded-md border border-line px-2.5 py-1 text-left text-sm text-ink-2 hover:border-strong hover:text-ink max-md:min-h-11"
              onClick={() => {
                write(example)
                field.current?.focus()
              }}
            >
              {example}
            </button>
          </li>
        ))}
      </ul>
    </form>
  )
}

function isTouch(): boolean {
  return matchMedia("(pointer: coarse)").matches
}
