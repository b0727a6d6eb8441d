import { defaultFilter, useCommandState } from "cmdk"
import { providerOf, withoutProvider } from "../../api/model-choice.ts"
import { useStudio } from "../../session/context/studio.ts"
import { useModel } from "../../session/models/use-model.ts"
import {
  keyLabel,
  type ListedModels,
  type ModelProvider,
  useModelLists,
  useModelProviders,
} from "../../session/models/use-model-providers.ts"
import { CornerDownLeft, StatusIcon } from "../../ui/icons.tsx"
import { Check, KeyRound } from "../../ui/more-icons.tsx"
import { SearchDialog, SearchGroup, SearchItem } from "../../ui/search-dialog.tsx"
import { RotateCw } from "../../ui/session-icons.tsx"

/** Chooses the model for the next runs, from recent ones and all those listed by providers with a key. */
export function ModelDialog({ onClose }: { onClose(): void }) {
  const { name, recent, choose } = useModel()
  const { providers, known, error, refetch } = useModelProviders()
  const ready = providers.filter((provider) => provider.ready)
  const lists = useModelLists(ready)
  const select = (model: string) => {
    choose(model)
    onClose()
  }
  const usable = recent.filter((model) => ready.some(({ id }) => id === providerOf(model)))

  return (
    <SearchDialog label="Choose a model" placeholder="Search models and providers" filter={byName} onClose={onClose}>
      {!known && (
        <SearchItem
          value="state providers"
          words={["provider"]}
          onSelect={() => refetch()}
          icon={<RotateCw size={15} />}
        >
          {error ? `${error.message} Try again` : "Loading…"}
        </SearchItem>
      )}
      {usable.length > 0 && (
        <SearchGroup heading="Recent">
          {usable.map((model) => (
            <Model key={model} group="recent" model={model} current={name} onSelect={select} />
          ))}
        </SearchGroup>
      )}
      {ready.map((provider, index) => (
        <Provider key={provider.id} provider={provider} list={lists[index]} current={name} onSelect={select} />
      ))}
      <Typed providers={ready} onSelect={select} />
      <WithoutKey providers={providers.filter((provider) => !provider.ready)} onClose={onClose} />
    </SearchDialog>
  )
}

/** Marks the item for the typed name, which is shown whatever else is found. */
const ALWAYS = "always"

function byName(value: string, search: string, words: string[] = []): number {
  return value.startsWith(ALWAYS) ? 0.0001 : (defaultFilter?.(words.join(" "), search) ?? 0)
}

interface ProviderProps {
  provider: ModelProvider
  list: { data: ListedModels | undefined; error: Error | null; refetch(): void } | undefined
  current: string
  onSelect(model: string): void
}

/** A provider's models. Until it has responded, or if it doesn't, just its default. */
function Provider({ provider, list, current, onSelect }: ProviderProps) {
  const { id, name, default_model } = provider
  const listed = list?.data?.models ?? []
  const models = listed.some((model) => model.name === default_model)
    ? listed
    : [...(default_model ? [{ name: default_model, title: null }] : []), ...listed]
  return (
    <SearchGroup heading={`${name} · ${keyLabel(provider)}`}>
      {models.map((model) => (
        <Model
          key={model.name}
          group={id}
          model={model.name}
          title={model.title}
          isDefault={model.name === default_model && models.length > 1}
          current={current}
          onSelect={onSelect}
        />
      ))}
      {list && !list.data && (
        <SearchItem
          value={`state ${id}`}
          words={[name, id]}
          icon={list.error ? <RotateCw size={15} aria-hidden /> : <StatusIcon state="busy" label={null} />}
          onSelect={() => list.refetch()}
        >
          <span className={list.error ? "min-w-0 flex-1 py-1 text-sm text-err" : "text-sm text-ink-3"}>
            {list.error ? `${list.error.message} Try again` : "Loading models…"}
          </span>
        </SearchItem>
      )}
    </SearchGroup>
  )
}

interface ModelProps {
  /** Group that contains it; a model may be in two. */
  group: string
  model: string
  title?: string | null
  isDefault?: boolean
  current: string
  onSelect(model: string): void
}

function Model({ group: place, model, title, isDefault, current, onSelect }: ModelProps) {
  const isCurrent = model === current
  return (
    <SearchItem
      value={`${place} ${model}`}
      words={[model, title ?? ""]}
      icon={isCurrent && <Check size={15} aria-label="Current model" className="text-accent" />}
      onSelect={() => onSelect(model)}
    >
      <span className="min-w-0 truncate font-mono text-sm">{place === "recent" ? model : withoutProvider(model)}</span>
      {(title || isDefault) && (
        <span className="ml-auto shrink-0 truncate pl-3 text-xs text-ink-3 max-md:hidden">
          {isDefault ? "default" : title}
        </span>
      )}
    </SearchItem>
  )
}

/** Offers the typed text, for a model that isn't listed by its provider. */
function Typed({ providers, onSelect }: { providers: ModelProvider[]; onSelect(model: string): void }) {
  const typed = useCommandState((state) => state.search).trim()
  const isName = /^[\x21-\x7e]{3,200}$/.test(typed) && withoutProvider(typed) !== ""
  if (!isName || !providers.some(({ id }) => id === providerOf(typed))) return null
  return (
    <SearchItem
      value={`${ALWAYS} typed`}
      words={[typed]}
      icon={<CornerDownLeft size={15} aria-hidden />}
      onSelect={() => onSelect(typed)}
    >
      <span className="min-w-0 truncate text-sm">
        Use <span className="font-mono">{typed}</span>
      </span>
    </SearchItem>
  )
}

/** Providers that can't be used yet, and how to change that. */
function WithoutKey({ providers, onClose }: { providers: ModelProvider[]; onClose(): void }) {
  const { browser } = useStudio()
  if (providers.length === 0) return null
  const addKey = (keyFor: string) => {
    onClose()
    browser.setState({ dialog: "model-key", keyFor })
  }
  return (
    <SearchGroup heading="Needs setup">
      {providers.map(({ id, name, needs_key, default_model, variable }) => (
        <SearchItem
          key={id}
          value={`without ${id}`}
          words={[name, id, default_model ?? "", "add key"]}
          icon={<KeyRound size={15} aria-hidden />}
          disabled={!needs_key}
          onSelect={() => addKey(id)}
        >
          <span className="min-w-0 truncate">
            <span className={needs_key ? "" : "text-ink-3"}>{name}</span>{" "}
            <span className="font-mono text-sm text-ink-3">{withoutProvider(default_model ?? "")}</span>
          </span>
          <span
            className={`ml-auto min-w-0 shrink-0 pl-3 text-right text-sm ${needs_key ? "text-accent" : "text-ink-3"}`}
          >
            {needs_key ? "Add a key" : `Set ${variable} on the server`}
          </span>
        </SearchItem>
      ))}
    </SearchGroup>
  )
}
