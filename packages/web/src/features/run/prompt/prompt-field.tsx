import { useId } from "react"
import { useBrowser } from "../../../session/context/studio.ts"
import { isSubmitKey, isTouchScreen } from "../../../ui/submit-key.ts"

interface Props {
  draft: string
  /** Whether something was asked before. */
  followUp: boolean
  editable: boolean
  onWrite(draft: string): void
  onSubmit(): void
}

export function PromptField({ draft, followUp, editable, onWrite, onSubmit }: Props) {
  const id = useId()
  const enterSends = useBrowser((state) => state.preferences.enter_sends)
  return (
    <>
      <label htmlFor={id} className="unseen">
        {followUp ? "What to change" : "What to build"}
      </label>
      <div id="agent-user-prompt" className="min-w-0">
        <textarea
          id={id}
          rows={2}
          value={draft}
          readOnly={!editable}
          onChange={(event) => onWrite(event.target.value)}
          onKeyDown={({ nativeEvent }) => {
            if (!isSubmitKey(nativeEvent, { enterSends, touch: isTouchScreen() })) return
            nativeEvent.preventDefault()
            onSubmit()
          }}
          placeholder={followUp ? "Ask for a change, or paste an error" : "Describe what to build"}
          className="block field-sizing-content max-h-48 min-h-16 w-full resize-none bg-transparent px-3 pt-2 outline-none read-only:text-ink-2"
        />
      </div>
    </>
  )
}
