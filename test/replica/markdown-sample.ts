/** An answer with everything that Markdown has. */
export const SAMPLE = `# The plan

Some **bold**, *slanted*, ~~gone~~ and \`inline code\`, and a [link](https://example.org/docs) in a
paragraph of two lines.

## Steps

1. First
2. Second, in so many words that a terminal of sixty columns has to break it
   - nested
     - deeper
3. Third

- [x] done
- [ ] open

> Quoted words

| Name | Count | Remark |
| :--- | ----: | :----: |
| alpha | 1 | short |
| 漢字 | 1000 | a remark that is so long that it needs two rows at sixty columns |

---

\`\`\`ts
/* A comment
   of two lines */
export const answer: number = 42;
\`\`\`

The end.
`;
