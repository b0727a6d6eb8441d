import { demoOffer } from "@switchyard/core/models/demo-offer"
import { useStudio } from "../../session/context/studio.ts"
import { useModel } from "../../session/models/use-model.ts"
import { useModelProviders } from "../../session/models/use-model-providers.ts"

/** Returns true if runs use the demo model. */
export function useDemo(): boolean {
  return useModel().provider === "scripted"
}

/** Makes clear that the demo isn't a language model, and what to expect from it. */
export function DemoNote() {
  const { browser } = useStudio()
  const { providers } = useModelProviders()
  const hasOther = providers.some(({ id, ready }) => ready && id !== "scripted")
  return (
    <p className="mt-4 border-l-4 border-line pl-3 text-sm text-pretty text-ink-2">
      {hasOther ? "You're using the built-in demo." : "No API key yet, so you're using the built-in demo."} {demoOffer}{" "}
      For anything else,{" "}
      <button
        type="button"
        onClick={() => browser.setState({ dialog: "model-key", keyFor: null })}
        className="text-accent underline underline-offset-2"
      >
        add a key
      </button>{" "}
      {hasOther ? "or choose another model." : "to use a real model."}
    </p>
  )
}
