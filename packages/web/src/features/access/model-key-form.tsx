import { type FormEvent, useState } from "react"
import { useBrowser, useStudio, useToast } from "../../session/context/studio.ts"
import { Button } from "../../ui/button.tsx"
import { Checkbox } from "../../ui/checkbox.tsx"
import { SecretField } from "../../ui/secret-field.tsx"

/** Adds, replaces or removes the API key of the model's provider. `explained`: says which key is in use now. */
export function ModelKeyForm({ onSaved, explained = true }: { onSaved?(): void; explained?: boolean }) {
  const { keys } = useStudio()
  const toast = useToast()
  const has = useBrowser((state) => state.hasModelKey)
  const [key, setKey] = useState("")
  const [remember, setRemember] = useState(() => keys.remembers())
  const [error, setError] = useState<string | null>(null)

  const save = (event: FormEvent) => {
    event.preventDefault()
    const wrong = keyFault(key)
    setError(wrong)
    if (wrong) return
    keys.save(key, remember)
    setKey("")
    toast(remember ? "Key saved in this browser." : "Key saved until you close this tab.", "ok")
    onSaved?.()
  }

  const forget = () => {
    keys.save("", false)
    setRemember(false)
    toast("Key removed.", "ok")
  }

  return (
    <form onSubmit={save} noValidate className="flex flex-col gap-4">
      {explained && <WhoPays />}
      <SecretField
        label={has ? "Replace the key" : "API key"}
        value={key}
        onChange={(event) => setKey(event.target.value)}
        autoComplete="off"
        placeholder={has ? "Replaces the saved key" : "gsk_…, sk-…"}
        error={error}
      />
      <Remember checked={remember} onChange={setRemember} />
      <p className="text-sm text-ink-3">
        Free keys have low per-minute token limits. A large prompt or project can exceed them: the run then waits or
        stops, and can be restarted a minute later.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" tone="primary" disabled={key.trim() === ""}>
          Save key
        </Button>
        {has && <Button onClick={forget}>Remove saved key</Button>}
      </div>
    </form>
  )
}

/** The fault of a key that can be seen without trying it; null if there is none. */
function keyFault(key: string): string | null {
  if (key.trim() === "") return "Paste a key first."
  return /^[\x21-\x7e]+$/.test(key.trim()) ? null : "A key can't contain spaces or line breaks."
}

function WhoPays() {
  const { config, keys } = useStudio()
  const has = useBrowser((state) => state.hasModelKey)
  const model = <span className="font-mono text-sm">{config.default_model}</span>
  if (has) {
    return (
      <p>
        This browser sends your key with each run you start. It is stored{" "}
        {keys.remembers() ? "in this browser until you remove it." : "until you close this tab."}
      </p>
    )
  }
  if (config.demo) {
    return (
      <p>
        You don't need one to look around: without a key, runs use {model}. It is a script that builds small projects by
        rule, not a language model.
      </p>
    )
  }
  return <p>Without your key, the server uses its own, if it has one, for {model}.</p>
}

function Remember({ checked, onChange }: { checked: boolean; onChange(checked: boolean): void }) {
  return (
    <Checkbox
      label="Remember it in this browser"
      hint="Stored in this browser until you remove it; anyone using this profile can read it. Otherwise it's forgotten when you close the tab. The server keeps it encrypted while a run needs it and erases it afterwards."
      checked={checked}
      onChange={onChange}
    />
  )
}
