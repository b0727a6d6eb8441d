import { clsx } from "clsx"
import { lexer, type Token, type Tokens } from "marked"
import { Fragment, memo, type ReactNode, useMemo, useState } from "react"
import { type Block, splitBlocks } from "./blocks.ts"
import { CodeBlock } from "./code-block.tsx"

/**
 * A text in Markdown, drawn as elements: HTML in it stays text, and pictures are links, so that nothing is loaded and nothing
 * has to be cleaned. In a file of its own, with its library, for texts that are loaded later.
 */
export function Markdown({ text }: { text: string }) {
  const tokens = useMemo(() => lexer(text), [text])
  return <div className={`own-direction ${column}`}>{drawAll(tokens)}</div>
}

const column = "flex min-w-0 flex-col gap-2 font-sans whitespace-normal wrap-anywhere"

/** The same while it is written. Only its last block is parsed and drawn again, however long it is. */
export function StreamedMarkdown({ text }: { text: string }) {
  // The library counts each end of a line as one character.
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
  return drawAll(lexer(source))
})

/** The blocks of a text that grows, from those that it had before. */
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

function drawAll(tokens: readonly Token[] = []): ReactNode {
  return tokens.map((token, index) => <Fragment key={`${index.toString()} ${token.type}`}>{draw(token)}</Fragment>)
}

function draw(token: Token): ReactNode {
  switch (token.type) {
    case "space":
    case "def":
      return null
    case "heading":
      return (
        // A heading of the text is none of the page: what the page has above it is unknown here.
        <p className={token.depth <= 2 ? "pt-1 text-[1.1em] font-semibold" : "font-semibold"}>
          {drawAll(token.tokens)}
        </p>
      )
    case "paragraph":
      return <p>{drawAll(token.tokens)}</p>
    case "text":
      return token.tokens ? drawAll(token.tokens) : plain(token as Tokens.Text)
    case "code":
      return <CodeBlock text={token.text} language={token.lang?.split(/\s/)[0] ?? ""} />
    case "blockquote":
      return <blockquote className="border-l-2 border-strong pl-2.5 text-ink-2">{drawAll(token.tokens)}</blockquote>
    case "list":
      return <List list={token as Tokens.List} />
    case "table":
      return <Table table={token as Tokens.Table} />
    case "hr":
      return <hr className="border-line" />
    case "strong":
      return <strong>{drawAll(token.tokens)}</strong>
    case "em":
      return <em>{drawAll(token.tokens)}</em>
    case "del":
      return <del>{drawAll(token.tokens)}</del>
    case "codespan":
      return <code className="rounded-sm bg-well px-1 font-mono text-[0.92em]">{token.text}</code>
    case "br":
      return <br />
    case "link":
      return <Target href={token.href}>{drawAll(token.tokens)}</Target>
    case "image":
      return <Target href={token.href}>{token.text || token.href}</Target>
    case "escape":
      return token.text
    default:
      return token.raw
  }
}

/** Single line breaks are the writer's own. */
function plain({ text }: Tokens.Text): ReactNode {
  return <span className="whitespace-pre-line">{text}</span>
}

function List({ list: { ordered, start, items } }: { list: Tokens.List }) {
  const Tag = ordered ? "ol" : "ul"
  return (
    <Tag start={ordered ? Number(start) : undefined} className={clsx("pl-5", ordered ? "list-decimal" : "list-disc")}>
      {items.map((item, index) => (
        <li key={`${index.toString()} ${item.raw}`}>
          {item.task && <span aria-hidden>{item.checked ? "☑ " : "☐ "}</span>}
          {drawAll(item.tokens.filter(({ type }) => type !== "checkbox"))}
        </li>
      ))}
    </Tag>
  )
}

function Table({ table: { header, rows } }: { table: Tokens.Table }) {
  const cell = "border border-line px-2 py-0.5 text-left align-top"
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls is scrolled by keys
    <div tabIndex={0} className="overflow-x-auto">
      <table className="border-collapse">
        <thead>
          <tr>
            {header.map(({ tokens, text }, index) => (
              <th key={`${index.toString()} ${text}`} className={cell}>
                {drawAll(tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={`row-${index.toString()}`}>
              {row.map(({ tokens, text }, column) => (
                <td key={`${column.toString()} ${text}`} className={cell}>
                  {drawAll(tokens)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** A link, if its address is one for people; else its text. */
function Target({ href, children }: { href: string; children: ReactNode }) {
  if (!/^(https?|mailto):/i.test(href)) return children
  return (
    <a href={href} target="_blank" rel="noopener noreferrer" className="text-accent underline underline-offset-2">
      {children}
    </a>
  )
}
