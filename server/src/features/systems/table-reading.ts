/** A table of a domain and how far its reading is, as the cache knows it. */
export interface TableReading {
  company_id: string;
  uri_id: string;
  attribute_id: string;
  loaded: number;
  expected: number | null;
  message: string | null;
  is_reading: boolean;
  is_waiting: boolean;
}
