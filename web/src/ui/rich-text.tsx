/** A text in which `<b>…</b>` stands out. */
export const RichText = ({ text }: { text: string }) => (
  <>
    {text.split(/<b>(.*?)<\/b>/).map((part, index) => (index % 2 === 1 ? <b key={index}>{part}</b> : part))}
  </>
);
