#include <gtest/gtest.h>

#include "tests/fleet/trace/read_trace.h"

namespace drover {
namespace {

std::string map_problem(std::string_view map) {
  const auto columns = TraceColumns::parse(map);
  return columns ? "" : columns.error().message;
}

TraceReaderOptions reading(std::string_view map, const std::string& model = "bert-large") {
  TraceReaderOptions reading = reading_of(TraceFormat::csv, "c.csv", model);
  auto columns = TraceColumns::parse(map);
  EXPECT_TRUE(columns) << columns.error().message;
  if (columns) reading.columns = *std::move(columns);
  return reading;
}

constexpr std::string_view requests = "arrival=at:ms,input=in,output=out";

TEST(CsvTrace, ColumnsMeanWhatTheMapSays) {
  const ReadTrace rows = read_lines(
      reading("arrival=at:ms, input=in, output=out, tenant=who, priority=rank, deadline=within:ms, "
              "class='chat', stage=\"the stage\", data=set, precision=numbers"),
      {"\xef\xbb\xbfout,other,in,at,who,rank,within,the stage,set,numbers\r",
       "7,\"a, \"\"b\"\"\",300,1000,ana,-3,2500,production,wiki,\"bf16,fp16\"\r", "",
       "8,,301,1250.5,,,,,,\r"});
  EXPECT_EQ(rows.problems, std::vector<std::string>{});
  ASSERT_EQ(rows.jobs.size(), 2U);
  const Job& full = rows.jobs[0].job;
  EXPECT_EQ(full.work.kind, WorkKind::serve);
  EXPECT_EQ(full.work.input_tokens, 300U);
  EXPECT_EQ(full.work.output_tokens, 7U);
  EXPECT_EQ(full.tenant, "ana");
  EXPECT_EQ(full.priority, -3);
  EXPECT_EQ(full.deadline, std::chrono::milliseconds{2500});
  EXPECT_EQ(full.work_class, "chat");
  EXPECT_EQ(full.stage, "production");
  EXPECT_EQ(full.data_set, "wiki");
  EXPECT_EQ(full.work.precisions, (std::vector<Precision>{Precision::bf16, Precision::fp16}));
  EXPECT_EQ(rows.jobs[1].arrival, std::chrono::microseconds{250'500});
  const Job& bare = rows.jobs[1].job;
  EXPECT_EQ(bare.tenant, "default");
  EXPECT_EQ(bare.priority, 10);
  EXPECT_EQ(bare.deadline, Duration{0});
  EXPECT_EQ(bare.work_class, "chat");
  EXPECT_EQ(bare.stage, "");
}

TEST(CsvTrace, EachRowMayHaveItsOwnKindAndModel) {
  const ReadTrace rows = read_lines(
      reading("arrival=t,kind=k,model=m,input=in,output=out,items=n,steps=s,batch=b,seq=q,"
              "devices=g",
              ""),
      {"t,k,m,in,out,n,s,b,q,g", "0,serve,bert-large,5,6,,,,,", "1,train,ResNet50,,,,70,8,2,4",
       "2,batch,bert-large,5,6,900,,,,", "3,,bert-large,7,8,,,,,", "4,train,resnet-50,x,,,9,,,"});
  EXPECT_EQ(rows.problems, std::vector<std::string>{});
  ASSERT_EQ(rows.jobs.size(), 5U);
  const Workload& train = rows.jobs[1].job.work;
  EXPECT_EQ(train.kind, WorkKind::train);
  EXPECT_EQ(train.model, "resnet-50");
  EXPECT_EQ(train.steps, 70U);
  EXPECT_EQ(train.batch, 8U);
  EXPECT_EQ(train.sequence, 2U);
  EXPECT_EQ(train.devices, 4U);
  EXPECT_EQ(train.input_tokens, 0U);
  EXPECT_EQ(rows.jobs[1].job.priority, 0);
  EXPECT_EQ(rows.jobs[2].job.work.kind, WorkKind::batch);
  EXPECT_EQ(rows.jobs[2].job.work.items, 900U);
  EXPECT_EQ(rows.jobs[2].job.priority, 0);
  EXPECT_EQ(rows.jobs[3].job.work.kind, WorkKind::serve);
  EXPECT_EQ(rows.jobs[4].job.work.batch, 32U);
}

TEST(CsvTrace, ArrivalsAreReadInTheirUnit) {
  const struct {
    std::string unit, first, second;
    Duration between;
  } cases[] = {
      {"", "1700000000.000000001", "1700000000.000000004", std::chrono::nanoseconds{3}},
      {":s", "0", "1.5", std::chrono::milliseconds{1500}},
      {":ms", "1700000000000", "1700000000001", std::chrono::milliseconds{1}},
      {":us", "5", "7e3", std::chrono::microseconds{6995}},
      {":ns", "1700000000000000000", "1700000000000000001", std::chrono::nanoseconds{1}},
      {":iso", "2023-11-16T18:17:03Z", "2023-11-16 20:17:04.5+02:00",
       std::chrono::milliseconds{1500}},
  };
  for (const auto& row : cases) {
    const ReadTrace rows = read_lines(reading("arrival=t" + row.unit + ",input='5',output='6'"),
                                      {"t", row.first, row.second});
    ASSERT_EQ(rows.jobs.size(), 2U) << row.unit;
    EXPECT_EQ(rows.jobs[1].arrival, row.between) << row.unit;
    EXPECT_EQ(rows.jobs[1].job.work.input_tokens, 5U);
  }
}

TEST(CsvTrace, RowMaySpanLinesWithinQuotes) {
  const ReadTrace rows = read_lines(
      reading(requests),
      {"at,note,in,out", "0,\"one", "", "two, \"\"three\"\"", "\",5,6", "1,x,7,oops", "2,x,7,8"});
  ASSERT_EQ(rows.jobs.size(), 2U);
  EXPECT_EQ(rows.jobs[0].job.work.output_tokens, 6U);
  EXPECT_EQ(rows.problems, std::vector<std::string>{
                               "c.csv:6: out: found \"oops\", expected a whole number 1..1000000"});
}

TEST(CsvTrace, AnUnclosedQuoteSkipsAHundredLines) {
  std::vector<std::string> lines{"at,note,in,out", "0,\"open,5,6"};
  EXPECT_EQ(read_lines(reading(requests), lines).problems,
            std::vector<std::string>{"c.csv:2: a quote is opened and never closed"});
  for (int i = 0; i < 120; ++i) lines.emplace_back("1,x,5,6");
  const ReadTrace rows = read_lines(reading(requests), lines);
  EXPECT_EQ(rows.problems, std::vector<std::string>{"c.csv:2: a quote is opened and not closed in "
                                                    "100 lines, which are skipped"});
  EXPECT_EQ(rows.jobs.size(), 21U);
}

TEST(CsvTrace, BadRowIsNamedWithFileLineAndColumn) {
  const std::string_view map =
      "arrival=at,kind=k,input=in,output=out,priority=p,tenant=who,deadline=d,precision=n";
  const struct {
    std::string row, expected;
  } cases[] = {
      {"-1,serve,5,6,,,,",
       "c.csv:2: at: found \"-1\", expected a number of s from 0 to 7258118400"},
      {",serve,5,6,,,,", "c.csv:2: at: found \"\", expected a number of s from 0 to 7258118400"},
      {"2023-11-16 18:17:03,serve,5,6,,,,",
       "c.csv:2: at: found \"2023-11-16 18:17:03\", expected a number of s from 0 to 7258118400"},
      {"0,sing,5,6,,,,", "c.csv:2: k: found \"sing\", expected serve, train or batch"},
      {"0,train,5,6,,,,", "c.csv:2: k: found \"train\", which needs a column for steps"},
      {"0,serve,,6,,,,", "c.csv:2: in: found \"\", expected a whole number 1..1000000"},
      {"0,serve,5,6,128,,,", "c.csv:2: p: found \"128\", expected a whole number -128..127"},
      {"0,serve,5,6,,a b,,",
       "c.csv:2: who: found \"a b\", expected 1 to 64 characters of A-Z a-z 0-9 . _ : -"},
      {"0,serve,5,6,,,soon,",
       "c.csv:2: d: found \"soon\", expected a number of s from 0 to 7258118400"},
      {"0,serve,5,6,,,,bf17", "c.csv:2: n: unknown precision \"bf17\"; did you mean bf16?"},
      {"0,serve,5,6", "c.csv:2: found 4 fields, expected 8 (at,k,in,out,p,who,d,n)"},
  };
  for (const auto& row : cases) {
    const ReadTrace rows = read_lines(reading(map), {"at,k,in,out,p,who,d,n", row.row});
    EXPECT_EQ(rows.problems, std::vector<std::string>{row.expected});
  }
  EXPECT_EQ(
      read_lines(reading("arrival=at,input='5',output='5',model=m", ""), {"at,m", "0,"}).problems,
      std::vector<std::string>{"c.csv:2: m: unknown model \"\""});
}

TEST(CsvTrace, MissingColumnIsAnErrorAtTheHeader) {
  EXPECT_EQ(read_lines(reading(requests), {"at,in,put", "0,1,2"}).problems,
            (std::vector<std::string>{"c.csv:1: header: found no column out in \"at,in,put\", "
                                      "expected one each of at, in, out",
                                      "c.csv:2: the file has no valid header"}));
}

TEST(TraceColumns, MistakesAreNamed) {
  const struct {
    std::string_view map, expected;
  } cases[] = {
      {"", "arrival: no column is mapped to it"},
      {"arrival", "found \"arrival\", expected FIELD=COLUMN"},
      {"arrival=t,imput=x", "unknown field \"imput\"; did you mean input?"},
      {"arrival=t,input=a,output=b,input=c", "input: mapped twice"},
      {"arrival=t,input=", "input: the column name is missing"},
      {"arrival=t:min,input=a,output=b",
       "arrival: found unit \"min\", expected s, ms, us, ns or iso"},
      {"arrival=t,deadline=d:iso", "deadline: found unit \"iso\", expected s, ms, us or ns"},
      {"arrival='5'", "arrival: needs a column: with a constant, all jobs would arrive at once"},
      {"arrival=t,priority='high'", "priority: found \"high\", expected a whole number -128..127"},
      {"arrival=t,kind='trian'", "kind: found \"trian\", expected serve, train or batch"},
      {"arrival=t,input=a", "output: no column is mapped to it, but jobs of kind serve need it"},
      {"arrival=t,kind='train',input=a,output=b",
       "steps: no column is mapped to it, but jobs of kind train need it"},
      {"\x1b=t",
       "unknown field \"^[\"; known: arrival, kind, model, input, output, items, steps, "
       "batch, seq, devices, precision, tenant, priority, deadline, class, stage, data"},
  };
  for (const auto& row : cases) EXPECT_EQ(map_problem(row.map), row.expected);
}

TEST(TraceColumns, NamesMayContainThePairSeparators) {
  const auto columns =
      TraceColumns::parse("arrival=\"the time, at: start\":ms,input=a:b,output=x=y,tenant='a'");
  ASSERT_TRUE(columns) << columns.error().message;
  EXPECT_EQ(columns->find(TraceField::arrival)->column, "the time, at: start");
  EXPECT_EQ(columns->find(TraceField::arrival)->unit, TimeUnit::ms);
  EXPECT_EQ(columns->find(TraceField::input)->column, "a:b");
  EXPECT_EQ(columns->find(TraceField::output)->column, "x=y");
  EXPECT_EQ(columns->find(TraceField::tenant)->constant, "a");
  EXPECT_EQ(columns->find(TraceField::steps), nullptr);
}

}  // namespace
}  // namespace drover
