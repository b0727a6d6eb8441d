import { demoOffer } from "@switchyard/core/models/demo-offer"
import { useBrowser, useStudio } from "../../session/context/studio.ts"

/** Whether runs use the demo model, because there is no key. */
export function useDemo(): boolean {
  const { config } = useStudio()
  const hasKey = useBrowser((state) => state.hasModelKey)
  return config.demo && !hasKey
}

/** Makes clear that the demo isn't a language model, and what can be expected of it. */
export function DemoNote() {
  const { browser } = useStudio()
  return (
    <p className="mt-4 border-l-4 border-line pl-3 text-sm text-pretty text-ink-2">
      No API key yet, so a built-in demo answers. {demoOffer} For anything else,{" "}
      <button
        type="button"
        onClick={() => browser.setState({ dialog: "model-key" })}
        className="text-accent underline underline-offset-2"
      >
        add a key
      </button>{" "}
      to use a real model.
    </p>
  )
}
