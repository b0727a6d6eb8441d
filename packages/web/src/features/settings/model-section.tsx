import { keyedProviders, modelProviders, type ProviderId } from "@switchyard/core/models/providers/providers"
import { clsx } from "clsx"
import { useState } from "react"
import { useModel } from "../../session/models/use-model.ts"
import { keyLabel, type ModelProvider, useModelProviders } from "../../session/models/use-model-providers.ts"
import { usePreferences } from "../../session/preferences/use-preferences.ts"
import { Button } from "../../ui/button.tsx"
import { TextArea } from "../../ui/field.tsx"
import { ChevronDown } from "../../ui/icons.tsx"
import { Notice } from "../../ui/notice.tsx"
import { ModelKeyForm } from "../access/model-key-form.tsx"
import { ModelPicker } from "../models/model-picker.tsx"

/** The model for the next run, and this browser's key for each provider. */
export function ModelSection() {
  const { providers, known, error, refetch } = useModelProviders()
  const { provider: current } = useModel()
  const [open, setOpen] = useState<string | null>(() => openAtFirst(location.hash.slice(1), current))
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line py-4">
        <p className="font-semibold">Model of the next run</p>
        <ModelPicker className="ml-auto h-9 max-w-full border-strong bg-sheet" />
      </div>
      {error && !known && (
        <Notice tone="err" className="mb-4 flex flex-wrap items-center justify-between gap-3">
          <span className="min-w-0 flex-1">{error.message}</span>
          <Button size="sm" onClick={() => refetch()}>
            Retry
          </Button>
        </Notice>
      )}
      <ul>
        {keyedProviders.map((id) => (
          <ProviderRow
            key={id}
            id={id}
            provider={providers.find((one) => one.id === id)}
            open={open === id}
            onToggle={() => setOpen(open === id ? null : id)}
          />
        ))}
      </ul>
      <ChatInstructions />
      <p className="border-t border-line pt-4 text-sm text-ink-3">
        A key is sent only with runs of the provider that it was entered for. The server keeps it encrypted while a run
        needs it and erases it afterwards. Free keys have low per-minute token limits: a run that exceeds them waits or
        stops, and can be restarted a minute later.
      </p>
    </>
  )
}

interface RowProps {
  id: ProviderId
  provider: ModelProvider | undefined
  open: boolean
  onToggle(): void
}

function ProviderRow({ id, provider, open, onToggle }: RowProps) {
  const form = `key-of-${id}`
  return (
    <li className="border-t border-line">
      <h2 className="text-base">
        <button
          type="button"
          aria-expanded={open}
          aria-controls={form}
          onClick={onToggle}
          className="flex min-h-12 w-full items-center gap-3 rounded-sm px-1 text-left hover:bg-well"
        >
          <span className="font-semibold">{modelProviders[id].name}</span>
          {provider && (
            <span className={clsx("ml-auto text-sm font-normal", provider.own ? "text-accent" : "text-ink-3")}>
              {keyLabel(provider)}
            </span>
          )}
          <ChevronDown
            size={16}
            aria-hidden
            className={clsx("shrink-0 text-ink-3", open && "rotate-180", !provider && "ml-auto")}
          />
        </button>
      </h2>
      <div id={form} hidden={!open} className="px-1 pt-1 pb-5">
        {open && (
          <>
            <p className="mb-4 text-sm text-ink-2">{provider && explanationOf(provider)}</p>
            <ModelKeyForm provider={id} />
          </>
        )}
      </div>
    </li>
  )
}

/** Returns the provider to open: the one named in the URL, else the current one. */
function openAtFirst(named: string, current: string): string | null {
  return keyedProviders.find((id) => id === named) ?? keyedProviders.find((id) => id === current) ?? "groq"
}

function explanationOf({ own, key, account, ready, needs_key, variable, name }: ModelProvider): string {
  if (own) return `Runs of ${name} models use the key that is saved in this browser.`
  if (!needs_key && !ready) return `Needs a server of local models: set ${variable} on the Switchyard server.`
  if (!needs_key) return "Needs no key, unless your server of local models asks for one."
  if (key === "environment") return "The server has a key of its own. Yours takes its place for your runs."
  if (key === "account") return `Runs use the key of your account ${account}. A key here takes its place.`
  return `No key yet. Add yours here, or set ${variable} on the server.`
}

const MAX_CHARS = 8000

/** The owner's additional instructions for the chat model. Saved when the field loses focus. */
function ChatInstructions() {
  const { preferences, change } = usePreferences()
  const [draft, setDraft] = useState<string | null>(null)

  function save(): void {
    if (draft !== null && draft !== preferences.system_extra) change({ system_extra: draft })
    setDraft(null)
  }

  return (
    <div className="border-t border-line py-4">
      <TextArea
        label="Instructions for the chat"
        hint="The model is told this in every chat, beside Switchyard's own instructions. A change has the provider's cache written anew."
        rows={2}
        maxLength={MAX_CHARS}
        value={draft ?? preferences.system_extra}
        onChange={setDraft}
        onBlur={save}
        className="field-sizing-content max-h-60 min-h-16 resize-none text-sm"
      />
    </div>
  )
}
