import { modelProviders } from "@switchyard/core/models/providers/providers"
import { demoModelName } from "@switchyard/core/models/providers/scripted"
import { clsx } from "clsx"
import { useState } from "react"
import { providerOf, withoutProvider } from "../../api/model-choice.ts"
import { useModel } from "../../session/models/use-model.ts"
import { keyLabel, useModelProviders } from "../../session/models/use-model-providers.ts"
import { ChevronDown } from "../../ui/icons.tsx"
import { lazyPart } from "../../ui/lazy-part.ts"

const ModelDialog = lazyPart(async () => (await import("./model-dialog.tsx")).ModelDialog)

/**
 * The model for the next run. Opens the list of all models. `compact`: shows where its key comes from only if there is
 * none.
 */
export function ModelPicker({ className, compact = false }: { className?: string; compact?: boolean }) {
  const { name } = useModel()
  const { providers } = useModelProviders()
  const [open, setOpen] = useState(false)
  const provider = providers.find(({ id }) => id === providerOf(name))
  const isDemo = name === demoModelName
  const lacksKey = provider !== undefined && !provider.ready
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        aria-label={`Model: ${name}${provider ? `, ${keyLabel(provider)}` : ""}`}
        title={name}
        onClick={() => setOpen(true)}
        className={clsx(
          "flex max-w-full min-w-0 items-center gap-1.5 rounded-md border px-2 text-sm text-ink-2 hover:bg-well hover:text-ink max-md:h-11",
          className,
        )}
      >
        <span className={clsx("min-w-0 truncate text-ink-3", compact && lacksKey && "@max-[18rem]:text-need")}>
          {providerName(name)} {!isDemo && <span className="font-mono text-ink-2">{withoutProvider(name)}</span>}
        </span>
        {provider && (lacksKey || !compact) && (
          <span
            className={clsx(
              "shrink-0 rounded-sm border px-1.5 text-xs max-[360px]:hidden",
              compact && "@max-[18rem]:hidden",
              lacksKey ? "border-need text-need" : provider.own ? "border-line text-accent" : "border-line text-ink-3",
            )}
          >
            {keyLabel(provider)}
          </span>
        )}
        <ChevronDown size={14} aria-hidden className="shrink-0 text-ink-3" />
      </button>
      {open && <ModelDialog onClose={() => setOpen(false)} />}
    </>
  )
}

function providerName(model: string): string {
  const names: Record<string, { name: string }> = modelProviders
  return names[providerOf(model)]?.name ?? ""
}
