import { list, type Domain } from './types.js';

export const mlTraining: Domain = {
  name: 'ml-training',
  en: {
    nouns:
      list(`Dataset, Dataset card, Training set, Test set, Tokenizer, Data loader, Encoder, Decoder, Embedding, Attention head,
      Optimizer, Loss function, Learning rate, Checkpoint, Checkpoint store, Evaluator, Reward model, Policy, Reference model, Replay buffer,
      Sampler, Prompt pool, Judge, Teacher, Student, GPU node, CPU node, Parameter server, Gradient buffer, Experiment tracker,
      Hyperparameter set, Model registry, Inference server, Label tool, Annotator, Feature store, Baseline, Ablation run, Base model 7B,
      LoRA adapter, Curriculum, Scorecard, loss.backward(), batch[0]`),
    steps:
      list(`Shuffle data, Tokenize text, Build batch, Run forward pass, Compute loss, Clip gradient, Update weights, Save checkpoint,
      Score samples, Filter answers, Tune threshold, Merge adapter, Warm up 100 steps, Plot curve`),
    states: list(
      `Warming up, Training, Converged, Diverged, Paused, Evaluating, Deployed, Overfitting, Resumed`,
    ),
    verbs:
      list(`trains, evaluates, samples from, initializes, updates, distils into, scores, labels, loads, saves, compares with,
      fine-tunes, ranks, monitors, regularizes`),
    questions:
      list(`Loss finite?, Overfitting?, Budget left?, Accuracy improved?, Gradient too large?, Is the reward rising?,
      Batch full?, Converged yet?, Better than baseline?, Checkpoint corrupt?`),
    alias: ['RM', 'Reward model'],
  },
  zh: {
    nouns:
      list(`数据集、数据集说明、训练集、测试集、分词器、数据加载器、编码器、解码器、嵌入层、注意力头、优化器、损失函数、学习率、检查点、
      检查点仓库、评测器、奖励模型、策略、参考模型、回放缓冲、采样器、提示池、裁判、教师模型、学生模型、GPU 节点、CPU 节点、参数服务器、
      梯度缓冲、实验记录、超参数、模型仓库、推理服务、标注工具、标注员、特征库、基线、消融实验、基座模型 7B、LoRA 适配器、课程、
      记分卡、loss.backward()、batch[0]`),
    steps:
      list(`打乱数据、切分文本、组成批次、前向计算、计算损失、裁剪梯度、更新权重、保存检查点、样本打分、过滤答案、调整阈值、
      合并适配器、预热 100 步、绘制曲线`),
    states: list(`预热中、训练中、已收敛、已发散、已暂停、评测中、已部署、过拟合、已恢复`),
    verbs: list(
      `训练、评测、采样自、初始化、更新、蒸馏到、打分、标注、加载、保存到、对比、微调、排序、监控、约束`,
    ),
    questions:
      list(`损失正常？、过拟合？、预算充足？、精度提升？、梯度过大？、奖励上升？、批次已满？、已经收敛？、优于基线？、
      检查点损坏？`),
    alias: ['RM', '奖励模型'],
  },
};
