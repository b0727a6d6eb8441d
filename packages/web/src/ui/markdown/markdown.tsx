import { Fragment, memo, type ReactNode, useMemo, useState } from "react"
import { type Block, splitBlocks } from "./blocks.ts"
import { CodeBlock } from "./code-block.tsx"
import { type MarkdownNode, parseMarkdown } from "./markdown-nodes.ts"

/**
 * A Markdown text, drawn as elements. HTML stays text and pictures become links, so nothing is loaded and nothing has
 * to be sanitised. In a separate file with its library, so that it can be loaded later.
 */
export function Markdown({ text }: { text: string }) {
  const nodes = useMemo(() => parseMarkdown(text), [text])
  return <div className={`own-direction ${column}`}>{drawAll(nodes)}</div>
}

const column = "flex min-w-0 flex-col gap-2 font-sans whitespace-normal wrap-anywhere"

/**
 * The same for a text that is still being written. Only the last blocks are parsed and drawn again, however long the
 * text is.
 */
export function StreamedMarkdown({ text }: { text: string }) {
  // The library counts each line ending as one character.
  const blocks = useBlocks(text.replace(/\r\n?/g, "\n"))
  return (
    <div className={column}>
      {blocks.map((block, index) => (
        <DrawnBlock key={index.toString()} source={block.source} />
      ))}
    </div>
  )
}

const DrawnBlock = memo(function DrawnBlock({ source }: { source: string }) {
  return drawAll(parseMarkdown(source))
})

/** Returns the blocks of a growing text, reusing those of its previous state. */
function useBlocks(text: string): readonly Block[] {
  const [blocks, setBlocks] = useState<{ text: string; blocks: readonly Block[] }>(() => ({
    text,
    blocks: splitBlocks(text, null),
  }))
  if (blocks.text === text) return blocks.blocks
  const next = { text, blocks: splitBlocks(text, blocks) }
  setBlocks(next)
  return next.blocks
}

function drawAll(nodes: readonly MarkdownNode[]): ReactNode {
  return nodes.map((node, index) => <Fragment key={`${index.toString()} ${node.type}`}>{draw(node)}</Fragment>)
}

function draw({ type, token, children }: MarkdownNode): ReactNode {
  switch (type) {
    case "heading":
      return (
        // A heading in the text isn't a heading of the page, because the level above it is unknown here.
        <p className={/[12]/.test(token.tag) ? "pt-1 text-[1.1em] font-semibold" : "font-semibold"}>
          {drawAll(children)}
        </p>
      )
    case "paragraph":
      return token.hidden ? drawAll(children) : <p>{drawAll(children)}</p>
    case "inline":
      return drawAll(children)
    case "fence":
    case "code_block":
      return <CodeBlock text={token.content.replace(/\n$/, "")} language={token.info.trim().split(/\s/)[0] ?? ""} />
    case "blockquote":
      return <blockquote className="border-l-2 border-strong pl-2.5 text-ink-2">{drawAll(children)}</blockquote>
    case "bullet_list":
      return <ul className="list-disc pl-5">{drawAll(children)}</ul>
    case "ordered_list":
      return (
        <ol start={Number(token.attrGet("start") ?? 1)} className="list-decimal pl-5">
          {drawAll(children)}
        </ol>
      )
    case "list_item":
      return <li>{drawAll(children)}</li>
    case "table":
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls is scrolled by keys
        <div tabIndex={0} className="overflow-x-auto">
          <table className="border-collapse">{drawAll(children)}</table>
        </div>
      )
    case "thead":
      return <thead>{drawAll(children)}</thead>
    case "tbody":
      return <tbody>{drawAll(children)}</tbody>
    case "tr":
      return <tr>{drawAll(children)}</tr>
    case "th":
      return <th className={cell}>{drawAll(children)}</th>
    case "td":
      return <td className={cell}>{drawAll(children)}</td>
    case "hr":
      return <hr className="border-line" />
    case "strong":
      return <strong>{drawAll(children)}</strong>
    case "em":
      return <em>{drawAll(children)}</em>
    case "s":
      return <del>{drawAll(children)}</del>
    case "code_inline":
      return <code className="rounded-sm bg-well px-1 font-mono text-[0.92em]">{token.content}</code>
    // Single line breaks are kept as the writer's own.
    case "softbreak":
    case "hardbreak":
      return <br />
    case "link":
      return <Target href={String(token.attrGet("href") ?? "")}>{drawAll(children)}</Target>
    case "image":
      return <Target href={String(token.attrGet("src") ?? "")}>{token.content || token.attrGet("src")}</Target>
    case "reference_definition":
      return null
    default:
      return token.content
  }
}

const cell = "border border-line px-2 py-0.5 text-left align-top"

/** A link if its address uses a safe scheme; otherwise just its text. */
function Target({ href, children }: { href: string; children: ReactNode }) {
  if (!/^(https?|mailto):/i.test(href)) return children
  return (
    <a href={href} target="_blank" rel="noopener noreferrer" className="text-accent underline underline-offset-2">
      {children}
    </a>
  )
}
